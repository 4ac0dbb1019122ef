/** How long an invoice can be paid. Pure. */
import { issueLimits } from '../../../src-preload/domain/invoice-words.ts'
import { bare, digitsProblem } from './digits.ts'

export type ReadLifeTime = {
  /** Null where it could not be read. */
  readonly seconds: number | null
  /** A sentence; null when it can be asked for. */
  readonly problem: string | null
}

const longestDays = issueLimits.longestSeconds / 86_400

export function checkLifeTime(seconds: number): ReadLifeTime {
  if (seconds < 1) return { seconds, problem: 'A lifetime is at least a second.' }
  if (seconds > issueLimits.longestSeconds) {
    return { seconds, problem: `A lifetime is at most ${longestDays} days.` }
  }
  return { seconds, problem: null }
}

const inSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 7 * 86_400,
  /** Always too long, and then said to be. */
  y: 365 * 86_400,
}
const words: Readonly<Record<string, string>> = {
  ...{ s: 's', sec: 's', secs: 's', second: 's', seconds: 's' },
  ...{ m: 'm', min: 'm', mins: 'm', minute: 'm', minutes: 'm' },
  ...{ h: 'h', hr: 'h', hrs: 'h', hour: 'h', hours: 'h' },
  ...{ d: 'd', day: 'd', days: 'd', w: 'w', week: 'w', weeks: 'w' },
  ...{ y: 'y', year: 'y', years: 'y' },
}
const part = /(\d{1,12})\s*([a-z]+)/g
const parts = /^(?:\d{1,12}\s*[a-z]+\s*)+$/

/**
 * Of a file: seconds, or `90s`, `30m`, `1h`, `7d`, `2 weeks`, `1h 30m`.
 * @param usual where it says nothing
 */
export function readLifeTime(text: string, usual: number): ReadLifeTime {
  const said = bare(text).toLowerCase()
  if (said === '') return checkLifeTime(usual)
  const unreadable = digitsProblem(said)
  if (unreadable !== null) return { seconds: null, problem: unreadable }
  if (/^[-−]/.test(said)) return { seconds: null, problem: 'A lifetime is at least a second.' }
  if (/^\d+$/.test(said)) return check(Number(said.slice(0, 15)))
  if (!parts.test(said)) return unknown(said)
  let seconds = 0
  for (const [, count = '', word = ''] of said.matchAll(part)) {
    const unit = Object.hasOwn(words, word) ? words[word] : undefined
    if (unit === undefined) return unknown(said)
    seconds += Number(count) * (inSeconds[unit] ?? 0)
  }
  return check(seconds)
}

/** Too large a number is told of, but not kept. */
function check(seconds: number): ReadLifeTime {
  const { problem } = checkLifeTime(seconds)
  return { seconds: seconds <= 1e9 ? seconds : null, problem }
}

function unknown(said: string): ReadLifeTime {
  const shown = said.length > 40 ? `${said.slice(0, 40)}…` : said
  const problem = `“${shown}” is no lifetime: write seconds, or such as 30m, 1h or 7d.`
  return { seconds: null, problem }
}
