import { type Redis, type Reply, createScript } from '../../base/redis.ts';
import { type Grant, longestHold, type Report, type SharedMinute } from './minute.ts';
import { margin } from './pace.ts';

interface MinuteServerOptions {
  readonly redis: Pick<Redis, 'run'>;
  /** Processes with the same key share the minute. */
  readonly key: string;
  /** Milliseconds. */
  readonly window: number;
  /** Identifies this process, or one of several paces within it. */
  readonly id: string;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

export interface MinuteServer extends SharedMinute {
  /** Returns the slots of this process, which otherwise stay taken for 90 s. */
  close(): Promise<void>;
}

/**
 * Shares a minute through a server. Times are sent as ages, so that only the server's clock counts: on their way they
 * get younger, never older.
 */
export function createMinuteServer({ redis, key, window, id, now }: MinuteServerOptions): MinuteServer {
  let last: Report | undefined;
  let latest: Promise<unknown> = Promise.resolve();
  /** As the server knows it. */
  let slots = 0;

  return { now, report, close };

  function report(share: Report): Promise<Grant> {
    last = share;
    const turn = JSON.stringify({ id, window, silence, ...aged(share, now()) });
    const granted = redis.run(minuteScript, [key], [turn]).then(grantIn);
    latest = granted.then(
      (grant) => (slots = share.inUse + grant.slots),
      () => {},
    );
    return granted;
  }

  async function close(): Promise<void> {
    await latest;
    if (!last || slots === 0) return;
    const time = Math.ceil(now());
    await report({ ...last, inUse: 0, wanted: 0, heldUntil: 0, ended: undefined, finished: [[time, slots]] });
  }
}

/** Milliseconds without a report after which a process counts as dead. A request takes less. */
export const silence = 90_000;

function aged({ heldUntil, finished, ...report }: Report, now: number): object {
  const ages = finished.map(([time, count]) => [Math.max(0, Math.floor(now - time)), count]);
  return { ...report, held: heldUntil === 0 ? undefined : Math.ceil(heldUntil - now), ages };
}

function grantIn(reply: Reply): Grant {
  const [slots, again, wait, why] = Array.isArray(reply) ? reply : [];
  if (typeof slots !== 'number' || typeof again !== 'number' || typeof wait !== 'number')
    throw new Error('the script of the shared minute returned no grant');
  return { slots, again, wait, why: String(why) === 'held' ? 'held' : 'full' };
}

/** `expire` and `grantSlots` of `minute.ts`. The fifth item of the reply is the time on the server. */
export const minuteScript = createScript(`
local key, turn = KEYS[1], cjson.decode(ARGV[1])
local window, limit, wanted = turn.window, turn.limit, turn.wanted
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- One millisecond more than in the file, because this clock is rounded down.
local span = window + ${margin + 1}
local text = redis.call('GET', key)
local minute = text and cjson.decode(text) or { state = 'open', heldUntil = 0, finished = {}, members = {} }

local function slotsOf(members)
  local sum = 0
  for _, member in ipairs(members) do sum = sum + member.slots end
  return sum
end

local function merge(more)
  if #more == 0 then return end
  local sums, times = {}, {}
  for _, counts in ipairs({ minute.finished, more }) do
    for _, one in ipairs(counts) do
      if not sums[one[1]] then times[#times + 1] = one[1] end
      sums[one[1]] = (sums[one[1]] or 0) + one[2]
    end
  end
  table.sort(times)
  minute.finished = {}
  for at, when in ipairs(times) do minute.finished[at] = { when, sums[when] } end
end

-- Drops expired counts and dead members.
local members, absent, left = {}, {}, 0
for _, member in ipairs(minute.members) do
  local isAbsent = #absent < 8 and (member.seen + 1000 < time or member.seen > time + 1000)
  table.insert(isAbsent and absent or members, member)
end
for _, member in ipairs(absent) do
  if member.seen + turn.silence > time and member.seen <= time + 1000 then
    members[#members + 1] = member
  else
    left = left + member.slots
  end
end
local counted = {}
for _, one in ipairs(minute.finished) do
  if one[1] <= time + 1000 and one[1] + span > time then counted[#counted + 1] = one end
end
minute.finished = counted
if left > 0 then
  merge({ { time, left } })
  if minute.state == 'probing' then minute.state = 'limited' end
end
if minute.heldUntil > time + ${longestHold} then minute.heldUntil = 0 end
if minute.heldUntil + window <= time and slotsOf(members) == 0 then minute.state = 'open' end

-- The report of this member.
local others, before = {}, nil
for _, member in ipairs(members) do
  if member.id == turn.id then before = member.waiting else others[#others + 1] = member end
end
if turn.ended == 'limited' then
  minute.state = 'limited'
elseif minute.state == 'probing' and turn.ended then
  minute.state = turn.ended == 'done' and 'open' or 'limited'
end
if turn.held then minute.heldUntil = math.max(minute.heldUntil, time + turn.held) end
local step = limit > 1000 and math.ceil(window / 1000) or 1
local finished = {}
for at, one in ipairs(turn.ages) do finished[at] = { math.ceil((time - one[1]) / step) * step, one[2] } end
merge(finished)

-- The slots for it.
local function countOf()
  local sum = 0
  for _, one in ipairs(minute.finished) do sum = sum + one[2] end
  return sum
end

local function timeOf(rest)
  for _, one in ipairs(minute.finished) do
    rest = rest - one[2]
    if rest <= 0 then return one[1] end
  end
  return math.huge
end

local function aheadOf(since)
  local ahead = 0
  for _, member in ipairs(others) do
    local waiting = member.waiting
    if waiting and waiting['until'] + 2000 > time then
      local isFirst = member.kind == 'single'
      if member.kind == turn.kind then isFirst = waiting.since < since end
      if isFirst then ahead = ahead + 1 end
    end
  end
  return ahead
end

local function grant()
  if wanted == 0 then return 0, 0, 0, 'full' end
  if minute.heldUntil > time then return 0, minute.heldUntil - time, minute.heldUntil - time, 'held' end
  local used = turn.inUse + slotsOf(others)
  local ahead = aheadOf(before and before.since or time)
  local taken = countOf() + used + ahead
  if taken >= limit then
    local due = timeOf(taken - limit + 1) + span - time
    return 0, math.max(1, math.min(due, math.ceil(window / 12))), math.min(due, window), 'full'
  end
  if minute.state == 'open' then return math.min(limit - taken, wanted), 0, 0, 'full' end
  local again = math.ceil(window / 600)
  if used + ahead > 0 then return 0, again, again, 'held' end
  return 1, 0, 0, 'held'
end

local slots, again, wait, why = grant()
if slots > 0 and minute.state == 'limited' then minute.state = 'probing' end
local member = { id = turn.id, kind = turn.kind, slots = turn.inUse + slots, seen = time }
if wanted > 0 and slots == 0 then
  member.waiting = { since = before and before.since or time, ['until'] = time + again }
end
if member.slots > 0 or member.waiting then others[#others + 1] = member end
minute.members = others
redis.call('SET', key, cjson.encode(minute), 'PX', window + 600000)
return { slots, again, wait, why, tostring(time) }
`);
