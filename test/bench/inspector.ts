/**
 * Runs all measurements of the Inspector: queries over a million captures, forwarding compared with
 * the receiver's rate, replay. Flags: --captures N (1000000), --times N (5), --only
 * search|forward|replay; the parts can also be run alone (`inspector-search` and so on).
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values: flags } = parseArgs({
  options: {
    captures: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
})
const captures = Number(flags.captures)

const parts: Readonly<Record<string, readonly string[]>> = {
  search: ['--captures', `${captures}`, '--times', flags.times],
  forward: [],
  replay: ['--captures', `${Math.min(100_000, captures)}`],
}

// Each part runs in its own new process.
for (const [part, args] of Object.entries(parts)) {
  const file = join(import.meta.dirname, `inspector-${part}.ts`)
  if ((flags.only ?? part) !== part || !existsSync(file)) continue
  const { status } = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
