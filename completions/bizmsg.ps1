# PowerShell completion of bizmsg, by bizmsg completion.

Register-ArgumentCompleter -Native -CommandName bizmsg -ScriptBlock {
    param($word, $line, $cursor)
    $OutputEncoding = [System.Text.UTF8Encoding]::new($false)
    $before = $line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    }
    # Passes the words through stdin, because other programs can read the arguments of a process.
    $typed = (@($before) + $word | ForEach-Object { "$_`0" }) -join ''
    $answer = @($typed | bizmsg __complete powershell 2>$null)
    # Without an answer, PowerShell completes files.
    if ($answer.Count -lt 3 -or $answer[0] -ne 'words') { return }
    foreach ($one in $answer[2..($answer.Count - 1)]) {
        $text, $about = ($answer[1] + $one) -split "`t", 2
        if (-not $about) { $about = $text }
        # Typographic quotes end a text, too. This is done here, because PowerShell may decode other bytes as quotes.
        $inserted = if ($text -match '^[\w+=:./\\-]+$') { $text } else { "'" + ($text -replace "['\u2018-\u201b]", '$0$0') + "'" }
        [System.Management.Automation.CompletionResult]::new($inserted, $text, 'ParameterValue', $about)
    }
}
