import { expect, test } from 'vitest'
import { createGate } from '../../../src-main/sandbox/snapshots.ts'

const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

test('an exclusive task waits for running tasks, and later tasks wait for the exclusive task', async () => {
  const gate = createGate()
  const said: string[] = []
  const inside = Promise.withResolvers<undefined>()
  const first = gate.shared(async () => {
    await inside.promise
    said.push('first')
  })
  const alone = gate.alone(() => void said.push('alone'))
  const later = gate.shared(() => Promise.resolve(void said.push('later')))
  await turns()
  expect(said).toEqual([])
  inside.resolve(undefined)
  await Promise.all([first, alone, later])
  expect(said).toEqual(['first', 'alone', 'later'])
})

test('exclusive tasks run one after another, and a failed task lets the next task run', async () => {
  const gate = createGate()
  const said: string[] = []
  const failing = gate.alone(() => Promise.reject(new Error('no')))
  const second = gate.alone(async () => {
    said.push('in')
    await turns()
    said.push('out')
  })
  const third = gate.alone(() => void said.push('third'))
  await expect(failing).rejects.toThrow('no')
  await Promise.all([second, third])
  expect(said).toEqual(['in', 'out', 'third'])
  await expect(gate.shared(() => Promise.reject(new Error('also no')))).rejects.toThrow()
  // A failed task is not counted as running.
  await gate.alone(() => void said.push('last'))
  expect(said.at(-1)).toBe('last')
})
