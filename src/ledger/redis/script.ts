import { createScript } from '../../base/redis.ts';
import { events, states, transitions } from '../states.ts';

/** Servers with data of a newer version are refused. */
export const dataVersion = 1;

/** Bytes of a record: run, state, time, order, owner. */
export const recordSize = 16;
const recordsInField = 4;

const codes = new Map(states.map((state, code) => [state, code]));

/** `moves[state][event]` is the next state, as in `states.ts`. */
function movesTable(): string {
  const rows = states.map((state, code) => {
    const moves = events.flatMap((event) => {
      const next = transitions[state][event];
      return next === undefined ? [] : [`['${event}']=${codes.get(next)}`];
    });
    return `[${code}]={${moves.join(',')}}`;
  });
  return `{${rows.join(',')}}`;
}

function codesTable(): string {
  return `{${states.map((state, code) => `${state}=${code}`).join(',')}}`;
}

/**
 * All that changes the ledger on the server. A call is atomic. KEYS[1] is the prefix of all keys; ARGV is the operation,
 * its facts as JSON, and rows as bytes. Replies begin with `ok` or with the reason of a refusal. Each decision here has the
 * name of the function that makes the same one for a single machine, in `claims.ts` and `others.ts`.
 */
export const ledgerScript = createScript(`
local P, op, h = KEYS[1], ARGV[1], cjson.decode(ARGV[2])
local S = ${codesTable()}
local names = {${states.map((state, code) => `[${code}]='${state}'`).join(',')}}
local moves = ${movesTable()}
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + h.ahead
local seconds = math.floor(now / 1000)
local day = 86400000
local me = h.worker
local meta = call('HMGET', P .. 'meta', 'version', 'check', 'epoch', 'order', 'lost', 'last', 'accepted')
local order = tonumber(meta[4] or '0')
local count, machine = 0, 0

if meta[1] and tonumber(meta[1]) > ${dataVersion} then return {'version', meta[1]} end
if meta[2] and meta[2] ~= h.check then return {'secret'} end

-- The ledger on the server is older than what a machine knows: no machine may use it until a user accepts that.
local function lose()
  if not meta[5] then call('HSET', P .. 'meta', 'version', ${dataVersion}, 'check', h.check, 'lost', now) end
  return {'lost', tonumber(meta[6] or '0')}
end

-- Times are written once a second.
local isBeating = false
local hasChanged = false
local function change()
  if hasChanged then return end
  hasChanged = true
  order = call('HINCRBY', P .. 'meta', 'order', 1)
  call('HSET', P .. 'meta', 'last', now)
  if me == 0 then return end
  count = call('HINCRBY', P .. 'worker:' .. me, 'count', 1)
  machine = call('HINCRBY', P .. 'machines', h.machine, 1)
  if isBeating then return end
  call('HSET', P .. 'worker:' .. me, 'beat', now, 'state', 'active')
  call('ZADD', P .. 'active', now, me)
end

local function ok(...)
  return {'ok', now, order, count, machine, ...}
end

if op == 'open' then
  local known, bad = h.known, meta[5]
  if known then
    if (meta[3] or '') ~= known.epoch then
      bad = bad or call('SISMEMBER', P .. 'accepted', known.epoch) == 0
    else
      local own = tonumber(call('HGET', P .. 'machines', h.machine) or '0')
      bad = bad or own < known.count or order < known.order
    end
  end
  if bad and not h.accept then return lose() end
  local epoch = meta[3] or ''
  local accepted = tonumber(meta[7] or '0')
  if h.accept and (bad or epoch == '') then
    accepted = now
    call('HSET', P .. 'meta', 'accepted', now)
  end
  -- A machine that knows nothing must not take a server that has forgotten everything for a new one.
  if epoch == '' then
    if h.accept then call('SET', h.setUp, now, 'NX') end
    if call('EXISTS', h.setUp) == 0 then return {'unknown'} end
  end
  if bad or (h.join and epoch == '') then
    if epoch ~= '' then call('SADD', P .. 'accepted', epoch) end
    if bad and known then call('SADD', P .. 'accepted', known.epoch) end
    epoch = h.fresh
    call('HSET', P .. 'meta', 'version', ${dataVersion}, 'check', h.check, 'epoch', epoch)
    call('HDEL', P .. 'meta', 'lost')
  end
  if h.join then
    me = call('HINCRBY', P .. 'meta', 'workers', 1)
    call('HSET', P .. 'worker:' .. me, 'pid', h.pid, 'start', h.start)
    change()
  end
  return ok(epoch, me, accepted)
end

if h.epoch ~= '' then
  -- The user has accepted that loss: only processes that were running then must end.
  if (meta[3] or '') ~= h.epoch and call('SISMEMBER', P .. 'accepted', h.epoch) == 1 then return {'lost', tonumber(meta[6] or '0')} end
  if meta[5] or (meta[3] or '') ~= h.epoch or order < h.order then return lose() end
  if me > 0 then
    local worker = call('HMGET', P .. 'worker:' .. me, 'count', 'beat', 'state', 'failures')
    count = tonumber(worker[1] or '0')
    if count < h.count then return lose() end
    -- A call that this process has given up: it may have been made again since.
    local failures = tonumber(worker[4] or '0')
    if h.failures < failures then return {'late'} end
    if h.failures > failures then call('HSET', P .. 'worker:' .. me, 'failures', h.failures) end
    isBeating = worker[3] == 'active' and tonumber(worker[2]) > now - 1000
  end
end

-- Registrations that are not committed. Their planned rows count as absent.
local pending
local function isPending(record)
  if record.state ~= S.planned then return false end
  if not pending then
    pending = {}
    for _, one in ipairs(call('HKEYS', P .. 'pending')) do pending[tonumber(one)] = true end
  end
  return pending[record.order] == true
end

local function stateOf(record)
  if isPending(record) then return S.absent end
  return record.state
end

local runs = {}
local function runOf(number)
  if runs[number] ~= nil then return runs[number] end
  local facts = call('HMGET', P .. 'run:' .. number, 'id', 'subject', 'order', 'forgotten', 'singles', 'last', 'owner')
  local run = false
  if facts[1] then
    run = { number = number, id = facts[1], subject = cjson.decode(facts[2]), order = tonumber(facts[3]) }
    run.isForgotten, run.isSingles, run.last = facts[4] == '1', facts[5] == '1', tonumber(facts[6])
    run.owner = tonumber(facts[7] or '0')
  end
  runs[number] = run
  return run
end

local function runNamed(id)
  local number = call('HGET', P .. 'numbers', id)
  return number and runOf(tonumber(number))
end

-- Written together at the end.
local counted, listed, flying, landed = {}, {}, {}, {}
local function add(number, state, by)
  if state == S.absent then return end
  counted[number] = counted[number] or {}
  counted[number][state] = (counted[number][state] or 0) + by
end

local function inParts(command, key, words)
  for from = 1, #words, 1000 do call(command, key, unpack(words, from, math.min(#words, from + 999))) end
end

local function finish()
  for number, by in pairs(counted) do
    for state, change in pairs(by) do
      if change ~= 0 then call('HINCRBY', P .. 'run:' .. number, 'c' .. state, change) end
    end
  end
  for number, rows in pairs(listed) do call('APPEND', P .. 'list:' .. number, table.concat(rows)) end
  for worker, flights in pairs(landed) do inParts('HDEL', P .. 'flights:' .. worker, flights) end
  inParts('HSET', P .. 'flights:' .. me, flying)
end

-- All records of the row with this digest.
local rowsKey = P .. 'rows:'
local function load(row)
  local set = { key = rowsKey .. row:sub(1, 2), rest = row:sub(3, 12), records = {}, size = 0 }
  local chunk = call('HGET', set.key, set.rest)
  while chunk do
    for at = 1, #chunk, ${recordSize} do
      local run, state, time, changed, owner = struct.unpack('>I3BI4I5I3', chunk, at)
      set.records[#set.records + 1] = { run = run, state = state, time = time, order = changed, owner = owner, row = row }
    end
    set.size = set.size + 1
    chunk = #chunk == ${recordsInField * recordSize} and call('HGET', set.key, set.rest .. string.char(set.size))
  end
  return set
end

local function packed(one)
  return struct.pack('>I3BI4I5I3', one.run, one.state, one.time, one.order, one.owner)
end

-- Fields of more than 64 bytes would need much more memory.
local function save(set)
  local records = set.records
  if #records == 1 and set.size < 2 then
    call('HSET', set.key, set.rest, packed(records[1]))
    set.size = 1
    return
  end
  local size = math.ceil(#records / ${recordsInField})
  for chunk = 0, math.max(size, set.size) - 1 do
    local field = chunk == 0 and set.rest or set.rest .. string.char(chunk)
    local parts = {}
    for at = chunk * ${recordsInField} + 1, math.min(#records, chunk * ${recordsInField} + ${recordsInField}) do parts[#parts + 1] = packed(records[at]) end
    if #parts > 0 then call('HSET', set.key, field, table.concat(parts)) else call('HDEL', set.key, field) end
  end
  set.size = size
end

local function find(set, number)
  for _, one in ipairs(set.records) do if one.run == number then return one end end
end

local function flightKey(record)
  return struct.pack('>I3', record.run) .. record.row:sub(1, 12)
end

local function land(record)
  local flights = landed[record.owner] or {}
  landed[record.owner] = flights
  flights[#flights + 1] = flightKey(record)
end

-- The only place where the state of a row changes.
local function move(record, event)
  local before = stateOf(record)
  local after = moves[before][event]
  if not after or after == before then return false end
  change()
  if isPending(record) then call('HINCRBY', P .. 'pending', record.order, -1) end
  if before == S.leaving then land(record) end
  add(record.run, before, -1)
  add(record.run, after, 1)
  record.state, record.time, record.order = after, seconds, order
  return true
end

local function addRecord(set, run, row)
  local record = { run = run.number, state = S.absent, time = seconds, order = order, owner = 0, row = row }
  set.records[#set.records + 1] = record
  if run.isSingles then return record end
  local rows = listed[run.number] or {}
  listed[run.number] = rows
  rows[#rows + 1] = row
  return record
end

-- Jobs are kept for 400 days after their last change, other runs for 30.
local function expireLater(run)
  if not run.isSingles then call('ZADD', P .. 'expiries', 'GT', now + (run.subject.job and 400 or 30) * day, run.number) end
end

local touched = {}
local function touch(run, isOwn)
  if touched[run.number] then return end
  touched[run.number] = true
  local key = P .. 'run:' .. run.number
  if now > run.last + 1000 then
    call('HSET', key, 'last', now)
    expireLater(run)
  end
  if not isOwn or me == 0 or run.owner == me then return end
  call('HSET', key, 'committed', 1, 'owner', me, 'start', h.start, 'pid', h.pid)
  if not run.isSingles then call('SADD', P .. 'members:' .. run.number, me) end
end

-- The rows in flight of a worker that ended are unsure.
local function leave(worker)
  for _, flight in ipairs(call('HKEYS', P .. 'flights:' .. worker)) do
    local number, row = struct.unpack('>I3', flight), flight:sub(4)
    local set = load(row)
    local record = find(set, number)
    if record and record.owner == worker and move(record, 'died') then save(set) end
  end
  call('DEL', P .. 'flights:' .. worker)
  call('ZREM', P .. 'active', worker)
end

local function bury()
  for _, one in ipairs(call('ZRANGEBYSCORE', P .. 'active', '-inf', now - h.silence)) do
    local worker = tonumber(one)
    if worker ~= me then
      change()
      leave(worker)
      call('HSET', P .. 'worker:' .. worker, 'state', 'dead')
      call('EXPIRE', P .. 'worker:' .. worker, 2592000)
    end
  end
end

local function isActive(worker)
  return call('ZSCORE', P .. 'active', worker) ~= false
end

local function membersOf(run)
  local active = {}
  for _, one in ipairs(call('SMEMBERS', P .. 'members:' .. run.number)) do
    if isActive(one) then active[#active + 1] = one end
  end
  return active
end

local function drop(set, record)
  for at, one in ipairs(set.records) do
    if one == record then table.remove(set.records, at) break end
  end
  local state = stateOf(record)
  if isPending(record) then call('HINCRBY', P .. 'pending', record.order, -1) end
  if state == S.leaving then land(record) end
  add(record.run, state, -1)
  save(set)
end

local function latestOf(row)
  return P .. 'latest:' .. row:sub(13, 14), row:sub(15, 20)
end

local function forgetLatest(row, number)
  local key, rest = latestOf(row)
  local field = rest .. struct.pack('>I3', number)
  if call('HGET', key, field) == row:sub(1, 12) then call('HDEL', key, field) end
end

-- Removes some rows of the run that has been idle for the longest time, if it has expired.
local function sweep(most)
  local oldest = call('ZRANGE', P .. 'expiries', 0, 0, 'WITHSCORES')
  if not oldest[1] or tonumber(oldest[2]) > now then return false end
  change()
  local run = runOf(tonumber(oldest[1]))
  if not run or (not run.isForgotten and #membersOf(run) > 0) then
    if run then expireLater(run) else call('ZREM', P .. 'expiries', oldest[1]) end
    return true
  end
  local key, list = P .. 'run:' .. run.number, P .. 'list:' .. run.number
  local from = tonumber(call('HGET', key, 'swept') or '0')
  local rows = call('GETRANGE', list, from * 20, (from + most) * 20 - 1)
  for at = 1, #rows, 20 do
    local row = rows:sub(at, at + 19)
    local set = load(row)
    local record = find(set, run.number)
    if record and record.state == S.unsure and not run.isForgotten then
      call('APPEND', P .. 'kept:' .. run.number, row)
    elseif record then
      drop(set, record)
      if run.subject.kind == 'contact' then forgetLatest(row, run.number) end
    end
  end
  if #rows == most * 20 then
    call('HSET', key, 'swept', from + most)
  elseif call('EXISTS', P .. 'kept:' .. run.number) == 1 then
    call('RENAME', P .. 'kept:' .. run.number, list)
    call('HDEL', key, 'swept')
    expireLater(run)
  else
    if call('HGET', P .. 'numbers', run.id) == tostring(run.number) then call('HDEL', P .. 'numbers', run.id) end
    call('HDEL', P .. 'index', run.id)
    call('HDEL', P .. 'pending', call('HGET', key, 'registration') or '')
    call('DEL', key, list, P .. 'members:' .. run.number)
    call('ZREM', P .. 'expiries', run.number)
    counted[run.number] = nil
  end
  return true
end

-- A run of single messages has no end: its rows expire one by one.
local function sweepSingles(run)
  local key = P .. 'singles:' .. run.number
  for _, row in ipairs(call('ZRANGEBYSCORE', key, '-inf', seconds - 30 * 86400, 'LIMIT', 0, 20)) do
    local set = load(row)
    local record = find(set, run.number)
    if record and (record.state == S.unsure or record.state == S.leaving) then
      call('ZADD', key, seconds, row)
    else
      if record then drop(set, record) end
      call('ZREM', key, row)
    end
  end
end

local function isSameAccount(one, other)
  return one.id == other.id or (one.origin == other.origin and (one.isKeyDigest or other.isKeyDigest))
end

local function taken(run, record)
  local owner = call('HMGET', P .. 'worker:' .. record.owner, 'pid', 'start', 'beat')
  return { 'taken', run.id, 'w' .. record.owner, tonumber(owner[1] or '0'), owner[2] or '', tonumber(owner[3] or '0') }
end

-- Another run that took the row since this command registered.
local function elsewhere(set, run, terms)
  local s = run.subject
  if s.mode ~= 'live' or s.kind ~= 'message' or s.job or terms.ignoreOthers then return nil end
  local latest, by
  for _, one in ipairs(set.records) do
    local other = one.run ~= run.number and one.order > terms.after and runOf(one.run)
    if other and not other.isForgotten and isSameAccount(other.subject.account, s.account) then
      local isRecent = one.time * 1000 > now - 30 * day
      -- Until it is resolved, however old it is.
      local isDoubtful = one.state == S.unsure and not terms.retryUnsure
      local counts = isDoubtful or (isRecent and (one.state == S.done or one.state == S.leaving))
      if counts and (not latest or one.order > latest.order) then latest, by = one, other end
    end
  end
  return latest and { 'elsewhere', by.id, latest.time * 1000, names[latest.state] }
end

local function supersede(set, own)
  for _, one in ipairs(set.records) do
    local other = one.run ~= own and runOf(one.run)
    if other and not other.isForgotten and move(one, 'supersede') then touch(other, false) end
  end
end

local function fly(record, run, row)
  record.owner = me
  flying[#flying + 1] = flightKey(record)
  flying[#flying + 1] = ''
  if run.subject.kind ~= 'contact' then return end
  local key, rest = latestOf(row)
  call('HSET', key, rest .. struct.pack('>I3', run.number), row:sub(1, 12))
end

-- A claim whose answer was lost: this process has not sent the row.
local function takeBack(record, isUnanswered)
  if isUnanswered and record and record.owner == me then move(record, 'release') end
end

local function claimInRun(run, terms, row, isUnanswered, isLook)
  local set = load(row)
  local own = find(set, run.number)
  if not isLook then takeBack(own, isUnanswered) end
  local state = own and stateOf(own) or S.absent
  local isRetry = (state == S.failed and own.order <= terms.after) or (state == S.unsure and terms.retryUnsure)
  if moves[state][isRetry and 'retry' or 'claim'] ~= S.leaving then
    if state == S.leaving then return taken(run, own) end
    if state == S.unsure then return { 'unsure', run.id, own.time * 1000 } end
    return names[state]
  end
  local other = elsewhere(set, run, terms)
  if isLook then return other or 'yours' end
  if other then
    if own then move(own, 'withdraw') end
  else
    own = own or addRecord(set, run, row)
    move(own, 'retry')
    fly(own, run, row)
    touch(run, true)
  end
  if terms.retryUnsure then supersede(set, run.number) end
  save(set)
  return other or 'yours'
end

local function refusalOf(set, terms)
  local refusal
  for _, one in ipairs(set.records) do
    local run = runOf(one.run)
    if run and not run.isForgotten and run.subject.mode == terms.single.mode and isSameAccount(run.subject.account, terms.single.account) then
      local at = one.time * 1000
      if one.state == S.leaving then return taken(run, one) end
      if one.state == S.unsure and not terms.retryUnsure then refusal = { 'unsure', run.id, at } end
      if one.state == S.done and at > now - 600000 and not terms.again then
        refusal = refusal or { 'elsewhere', run.id, at, names[one.state] }
      end
    end
  end
  return refusal
end

local function newRun(id, subject, facts)
  local number = call('HINCRBY', P .. 'meta', 'runs', 1)
  call('HSET', P .. 'run:' .. number, 'id', id, 'subject', subject, 'started', now, 'last', now, unpack(facts))
  call('HSET', P .. 'numbers', id, number)
  runs[number] = nil
  return runOf(number)
end

local function claimSingle(terms, row, isUnanswered, isLook)
  local set = load(row)
  local run = runNamed(terms.run)
  if not isLook then takeBack(run and find(set, run.number), isUnanswered) end
  local refusal = refusalOf(set, terms)
  if refusal or isLook then return refusal or 'yours' end
  run = run or newRun(terms.run, cjson.encode(terms.single), { 'order', order, 'singles', 1, 'committed', 1 })
  local own = find(set, run.number) or addRecord(set, run, row)
  move(own, 'reopen')
  move(own, 'retry')
  fly(own, run, row)
  touch(run, true)
  call('ZADD', P .. 'singles:' .. run.number, seconds, row)
  if terms.retryUnsure then supersede(set, run.number) end
  save(set)
  sweepSingles(run)
  return 'yours'
end

local outcomes = { d = 'done', f = 'failed', u = 'unsure', r = 'release' }
local function settle(run, rows)
  touch(run, true)
  for at = 1, #rows, 21 do
    local row, event = rows:sub(at, at + 19), outcomes[rows:sub(at + 20, at + 20)]
    local set = load(row)
    local record = find(set, run.number)
    if not record and event == 'done' then record = addRecord(set, run, row) end
    if record and (event == 'done' or record.owner == me) and move(record, event) then save(set) end
  end
end

if op == 'beat' then
  if call('EXISTS', P .. 'worker:' .. me) == 1 then change() end
  return ok()
end

-- Outcomes first, then claims.
if op == 'work' then
  local verdicts, terms, rows = {}, h.terms, ARGV[3 + #h.settled] or ''
  for _, id in ipairs(h.settled) do
    if not runNamed(id) then return {'run', id} end
  end
  local run = terms and not terms.single and runNamed(terms.run)
  if terms and not terms.single and not run then return {'run', terms.run} end
  change()
  bury()
  for at, id in ipairs(h.settled) do settle(runNamed(id), ARGV[2 + at]) end
  if terms then
    if run and not terms.after then terms.after = run.order end
    for at = 1, #rows, 21 do
      local row, isUnanswered = rows:sub(at, at + 19), rows:byte(at + 20) == 1
      local verdict = terms.single and claimSingle(terms, row, isUnanswered, false) or claimInRun(run, terms, row, isUnanswered, false)
      verdicts[#verdicts + 1] = verdict
    end
    sweep(100)
  end
  finish()
  return ok(verdicts)
end

if op == 'look' then
  bury()
  local terms = h.terms
  local run = not terms.single and runNamed(terms.run)
  if not terms.single and not run then return {'run', terms.run} end
  if run and not terms.after then terms.after = run.order end
  local verdict = terms.single and claimSingle(terms, ARGV[3], false, true) or claimInRun(run, terms, ARGV[3], false, true)
  finish()
  return ok({ verdict })
end

-- Processes with the same input begin at different parts of it. Only claims count: this saves claims of the same rows.
if op == 'begin' then
  local run = runNamed(h.run)
  if not run then return {'run', h.run} end
  local parts = P .. 'parts:' .. run.number
  local other = call('HGET', parts, h.part)
  if other and tonumber(other) ~= me and isActive(other) then return ok(0) end
  call('HSET', parts, h.part, me)
  call('EXPIRE', parts, 86400)
  return ok(1)
end

-- All runs, for decisions of the client.
if op == 'runs' then
  bury()
  finish()
  local all = {}
  for _, number in ipairs(call('HVALS', P .. 'numbers')) do
    local run = runOf(tonumber(number))
    local facts = call('HMGET', P .. 'run:' .. number, 'id', 'subject', 'again', 'started', 'last', 'order', 'committed', 'closed',
      'owner', 'start', 'pid', ${states.map((_, code) => `'c${code}'`).join(', ')})
    if run then
      local state = facts[9] and call('HGET', P .. 'worker:' .. facts[9], 'state') or 'ended'
      all[#all + 1] = { tonumber(number), membersOf(run), state or 'ended', facts }
    end
  end
  return ok(tonumber(call('HGET', P .. 'meta', 'registrations') or '0'), all)
end

-- The records of rows: for each a count and the records.
if op == 'records' then
  local parts, rows = {}, ARGV[3]
  local only = h.run and tonumber(call('HGET', P .. 'numbers', h.run) or '0')
  for at = 1, #rows, 12 do
    local set = load(rows:sub(at, at + 11))
    local own = {}
    for _, one in ipairs(set.records) do
      local run = runOf(one.run)
      if run and not run.isForgotten and (not only or one.run == only) then
        own[#own + 1] = struct.pack('>I3BI4I5I3', one.run, stateOf(one), one.time, one.order, one.owner)
      end
    end
    parts[#parts + 1] = struct.pack('>I2', #own) .. table.concat(own)
  end
  return ok(table.concat(parts))
end

-- The latest rows in buckets of contacts: for each the second digest, the run and the digest.
if op == 'latest' then
  local parts, buckets = {}, ARGV[3]
  for at = 1, #buckets, 2 do
    local bucket = buckets:sub(at, at + 1)
    for place, one in ipairs(call('HGETALL', P .. 'latest:' .. bucket)) do
      parts[#parts + 1] = place % 2 == 1 and bucket .. one or one
    end
  end
  return ok(table.concat(parts))
end

-- A part of a registration: nothing of it counts until the last part commits it.
if op == 'register' then
  change()
  local other = call('HMGET', P .. 'meta', 'registrations', 'registering', 'registeringAt')
  if tonumber(other[1] or '0') ~= h.registrations then return ok('changed', 0) end
  local run = runNamed(h.run)
  local id = h.registration
  if not h.commit then
    -- Of several large ones with the same rows, most would be in vain: they wait for the first.
    local isBusy = other[2] and tonumber(other[2]) ~= me and isActive(other[2]) and tonumber(other[3]) > now - 10000
    if id == 0 and isBusy then return ok('busy', 0) end
    call('HSET', P .. 'meta', 'registering', me, 'registeringAt', now)
  end
  if id == 0 then
    sweep(1000)
    id = order
    call('HSET', P .. 'pending', id, 0)
    run = run or newRun(h.run, h.subject, { 'order', h.after, 'again', h.again, 'committed', 0 })
    call('HSET', P .. 'run:' .. run.number, 'registration', id)
    expireLater(run)
    -- It keeps the run while its rows are on their way.
    call('SADD', P .. 'members:' .. run.number, me)
  end
  local added = 0
  for at, event in ipairs({'plan', 'reopen'}) do
    local rows = ARGV[2 + at]
    for from = 1, #rows, 20 do
      local row = rows:sub(from, from + 19)
      local set = load(row)
      local record = find(set, run.number) or addRecord(set, run, row)
      local before = stateOf(record)
      if moves[before][event] == S.planned then
        if isPending(record) then call('HINCRBY', P .. 'pending', record.order, -1) end
        add(run.number, before, -1)
        record.state, record.time, record.order = S.planned, seconds, id
        added = added + 1
        save(set)
      end
    end
  end
  if added > 0 then call('HINCRBY', P .. 'pending', id, added) end
  if h.commit then
    add(run.number, S.planned, tonumber(call('HGET', P .. 'pending', id)))
    call('HDEL', P .. 'pending', id)
    call('HSET', P .. 'run:' .. run.number, 'subject', h.subject, 'closed', 0)
    call('HINCRBY', P .. 'meta', 'registrations', 1)
    call('HDEL', P .. 'meta', 'registering')
    touch(run, true)
  end
  finish()
  return ok('done', id)
end

-- One event for rows of a run.
if op == 'move' then
  change()
  bury()
  local run, moved, rows = runNamed(h.run), 0, ARGV[3]
  if not run then return {'run', h.run} end
  for at = 1, #rows, 20 do
    local set = load(rows:sub(at, at + 19))
    local record = find(set, run.number)
    if record and move(record, h.event) then
      moved = moved + 1
      save(set)
    end
  end
  if moved > 0 and h.event ~= 'withdraw' then touch(run, false) end
  finish()
  return ok(moved)
end

if op == 'shut' then
  bury()
  finish()
  local run = runNamed(h.run)
  -- A registration that was not completed.
  if h.draft and (not run or call('HGET', P .. 'run:' .. run.number, 'committed') == '1') then return ok() end
  if not run then return {'run', h.run} end
  if h.refuse and #membersOf(run) > 0 then return {'running', h.run} end
  change()
  if not h.draft then call('HINCRBY', P .. 'meta', 'registrations', 1) end
  if not h.forget then
    call('HSET', P .. 'run:' .. run.number, 'closed', 1)
  else
    call('HSET', P .. 'run:' .. run.number, 'forgotten', 1)
    call('HDEL', P .. 'numbers', run.id)
    call('HDEL', P .. 'index', run.id)
    call('ZADD', P .. 'expiries', 0, run.number)
  end
  return ok(run.number)
end

if op == 'sweep' then
  local isMore = sweep(1000)
  finish()
  return ok(isMore and 1 or 0)
end

-- Erases rows of a person. Each is its place in the list, and the row.
if op == 'erase' then
  change()
  local rows = ARGV[3]
  for at = 1, #rows, 24 do
    local place, row = struct.unpack('>I4', rows, at), rows:sub(at + 4, at + 23)
    local set = load(row)
    local record = find(set, h.number)
    if record then drop(set, record) end
    forgetLatest(row, h.number)
    if h.singles then
      call('ZREM', P .. 'singles:' .. h.number, row)
    elseif call('GETRANGE', P .. 'list:' .. h.number, place * 20, place * 20 + 19) == row then
      call('SETRANGE', P .. 'list:' .. h.number, place * 20, string.rep('\\0', 20))
    end
  end
  finish()
  return ok()
end

if op == 'end' then
  change()
  leave(me)
  finish()
  -- Kept for calls that this process has given up and that arrive late: the server has not lost them.
  call('HSET', P .. 'worker:' .. me, 'state', 'ended')
  call('EXPIRE', P .. 'worker:' .. me, 3600)
  return ok()
end

return redis.error_reply('ERR unknown operation ' .. op)
`);
