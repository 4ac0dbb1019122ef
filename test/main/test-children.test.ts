import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { nodeArguments } from '../stand-in/chromium.ts'

const child = `setInterval(() => undefined, 1000)
console.log(process.pid)`

/** A program that takes the place of a test’s process. */
const parent = `
  import { spawn } from 'node:child_process'
  const args = ${JSON.stringify([...nodeArguments, '--eval', child])}
  spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })`

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}

// Catches `serve` processes that a failed story leaves running.
test('processes that a test started end with the test’s process, also after a kill', async () => {
  const started = spawn(process.execPath, ['--input-type=module', '--eval', parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(started.stdout), 'line')) as [string]
  expect(isAlive(Number(line))).toBe(true)
  started.kill('SIGKILL')
  await expect.poll(() => isAlive(Number(line))).toBe(false)
})
