import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const settings = new URL('../../../src-main/app/heap-settings.ts', import.meta.url).href

/**
 * A program that writes the largest young generation, in bytes, of the main thread and of a thread
 * that starts later.
 */
const program = `
  import { Worker, isMainThread } from 'node:worker_threads'
  import { getHeapSpaceStatistics } from 'node:v8'
  import { keepYoungGenerationSmall } from ${JSON.stringify(settings)}
  if (isMainThread) keepYoungGenerationSmall()
  let kept = []
  let largest = 0
  for (let round = 0; round < 40; round += 1) {
    for (let index = 0; index < 20_000; index += 1) kept.push({ index })
    if (round % 4 === 3) kept = []
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    largest = Math.max(largest, young.space_size)
  }
  console.log(largest)
  if (isMainThread) new Worker(process.argv[1] ?? new URL(import.meta.url))`

// Without this, 64 MB of dead young objects stay in Electron's main process and each of its
// threads, where Node's switch for the size of the young generation has no effect.
test('the young generation of the main thread and of other threads stays small', () => {
  const url = `data:text/javascript,${encodeURIComponent(program)}`
  const printed = execFileSync(process.execPath, ['--import', url, '--eval', ''], {
    encoding: 'utf8',
  })
  const sizes = printed.trim().split('\n').map(Number)
  expect(sizes.length).toBeGreaterThanOrEqual(2)
  for (const size of sizes) expect(size).toBeLessThan(9 * 1024 * 1024)
})
