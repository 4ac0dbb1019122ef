/** Creates load with wrk: 32 connections from its own process, for a limited time, to this machine only. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const connectionCount = 32

/** An account event as in the gateway's documentation, with 193 bytes. */
export function webhookBody(lt: string): string {
  const account = '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8'
  const hash = '1c2b3a4d5e6f708192a3b4c5d6e7f8091c2b3a4d5e6f708192a3b4c5d6e7f809'
  return `{ "account_id": "${account}", "lt": ${lt}, "tx_hash": "${hash}", "n":1}`
}

/** Just-in-time compilation takes this long for every server. */
const warmUpSeconds = 3

/** Responses per second after the warm-up. @throws if a response is not 200 */
export async function requestsPerSecond(url: string, seconds: number): Promise<number> {
  await load(url, warmUpSeconds)
  return load(url, seconds)
}

async function load(url: string, seconds: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
  const script = join(directory, 'post.lua')
  writeFileSync(
    script,
    `local n = 0
     local body = '${webhookBody('%014d')}'
     local headers = { ['Content-Type'] = 'application/json', ['Authorization'] = 'Bearer 0123456789abcdef' }
     request = function()
       n = n + 1
       return wrk.format('POST', nil, headers, string.format(body, 25713146000000 + n))
     end`,
  )
  try {
    const args = ['-t1', `-c${connectionCount}`, `-d${seconds}s`, '-s', script, url]
    const { stdout } = await run('wrk', args).catch((error: unknown) => {
      const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      throw missing
        ? new Error('This bench needs wrk: apt-get install wrk', { cause: error })
        : error
    })
    if (stdout.includes('Non-2xx')) throw new Error(`not all were answered 200:\n${stdout}`)
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  } finally {
    rmSync(directory, { recursive: true })
  }
}
