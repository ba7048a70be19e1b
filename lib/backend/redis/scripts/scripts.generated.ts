// Written by tools/embed-scripts.mjs from the .lua files beside it: edit those, then 'npm run scripts:embed'.
import { script } from './script.js';
export const scripts = {
  lock: {
    /** Takes the lock for a new owner. */
    acquire: script<
      { lock: string },
      { owner: string; lease: number; notAfter: number },
      [outcome: 'acquired' | 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
    >({
      name: 'lock/acquire',
      keyNames: ['lock'],
      argumentNames: ['owner', 'lease', 'notAfter'],
      replyPlaces: [
        { holds: ['acquired', 'busy', 'late', 'wrong-type'] },
        { holds: 'number' },
        { holds: 'string' },
        { holds: 'number' },
      ],
      text: `local lock = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local function serverNow()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then return nil, redis.call('TYPE', lock).ok end
  return tonumber(count or '0')
end
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
if redis.call('EXISTS', lock) == 0 then
  redis.call('HSET', lock, owner, 1)
  local limited = redis.pcall('PEXPIRE', lock, lease)
  if type(limited) == 'table' then
    redis.call('DEL', lock)
    return limited
  end
  return { 'acquired', lease, '', now }
end
local held, found = holdCount(lock, owner)
if not held then return { 'wrong-type', 0, found, now } end
if held == 0 then return { 'busy', redis.call('PTTL', lock), redis.call('HKEYS', lock)[1], now } end
redis.call('PEXPIRE', lock, lease)
return { 'acquired', lease, '', now }`,
    }),
    /** Ends the hold of whoever has it and wakes the waiters. */
    forceRelease: script<
      { lock: string },
      { channel: string; publish: string },
      [outcome: 'released' | 'not-held' | 'wrong-type', detail: string]
    >({
      name: 'lock/force-release',
      keyNames: ['lock'],
      argumentNames: ['channel', 'publish'],
      replyPlaces: [{ holds: ['released', 'not-held', 'wrong-type'] }, { holds: 'string' }],
      text: `local lock = KEYS[1]
local channel = ARGV[1]
local publish = ARGV[2]
local found = redis.call('TYPE', lock).ok
if found == 'none' then return { 'not-held', '' } end
if found ~= 'hash' then return { 'wrong-type', found } end
redis.call('DEL', lock)
if publish ~= '' then redis.pcall(publish, channel, '0') end
return { 'released', '' }`,
    }),
    /** Sets how often an owner that has the lock holds it, and for how long from now: to re-enter, to leave but not as the last, to extend. */
    hold: script<
      { lock: string },
      { owner: string; count: number; lease: number; notAfter: number },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'lock/hold',
      keyNames: ['lock'],
      argumentNames: ['owner', 'count', 'lease', 'notAfter'],
      replyPlaces: [{ holds: ['held', 'lost', 'late'] }, { holds: 'number' }],
      text: `local lock = KEYS[1]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
if not count then return redis.error_reply('ERR argument count is not a number') end
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local function serverNow()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then return nil, redis.call('TYPE', lock).ok end
  return tonumber(count or '0')
end
local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = holdCount(lock, owner) or 0
if held == 0 then return { 'lost', now } end
redis.call('PEXPIRE', lock, lease)
if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end
return { 'held', now }`,
    }),
    /** Tells whether the lock is held, how often by the owner asked about, and for how much longer. */
    inspect: script<
      { lock: string },
      { owner: string },
      [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
    >({
      name: 'lock/inspect',
      keyNames: ['lock'],
      argumentNames: ['owner'],
      replyPlaces: [
        { holds: ['locked', 'free', 'wrong-type'] },
        { holds: 'string' },
        { holds: 'number' },
        { holds: 'number' },
      ],
      text: `local lock = KEYS[1]
local owner = ARGV[1]
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then return nil, redis.call('TYPE', lock).ok end
  return tonumber(count or '0')
end
local count, found = holdCount(lock, owner)
if not count then return { 'wrong-type', found, 0, 0 } end
local remaining = redis.call('PTTL', lock)
return { remaining == -2 and 'free' or 'locked', '', count, remaining }`,
    }),
    /** Frees the lock of an owner, however often it holds it, and wakes the waiters. */
    release: script<
      { lock: string },
      { owner: string; channel: string; publish: string },
      [outcome: 'released' | 'not-held', now: number]
    >({
      name: 'lock/release',
      keyNames: ['lock'],
      argumentNames: ['owner', 'channel', 'publish'],
      replyPlaces: [{ holds: ['released', 'not-held'] }, { holds: 'number' }],
      text: `local lock = KEYS[1]
local owner = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local function serverNow()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then return nil, redis.call('TYPE', lock).ok end
  return tonumber(count or '0')
end
local now = serverNow()
if (holdCount(lock, owner) or 0) == 0 then return { 'not-held', now } end
redis.call('DEL', lock)
if publish ~= '' then redis.pcall(publish, channel, '0') end
return { 'released', now }`,
    }),
    /** Sets anew for how long from now each lock lasts that its owner still holds. */
    renew: script<
      { locks: readonly string[] },
      { notAfter: number; holders: readonly string[] },
      [outcome: 'renewed' | 'late', now: number, ...held: number[]]
    >({
      name: 'lock/renew',
      keyNames: ['locks'],
      argumentNames: ['notAfter', 'holders'],
      replyPlaces: [{ holds: ['renewed', 'late'] }, { holds: 'number' }, { holds: 'number', rest: true }],
      text: `local locks = KEYS
local notAfter = tonumber(ARGV[1])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local holders = {}
for i = 2, #ARGV do
  holders[i - 1] = ARGV[i]
end
local function serverNow()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then return nil, redis.call('TYPE', lock).ok end
  return tonumber(count or '0')
end
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, lock in ipairs(locks) do
  local owner, lease = holders[2 * i - 1], tonumber(holders[2 * i])
  local held = (holdCount(lock, owner) or 0) > 0
  if held then redis.call('PEXPIRE', lock, lease) end
  reply[i + 2] = held and 1 or 0
end
return reply`,
    }),
  },
};
