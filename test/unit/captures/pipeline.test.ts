import { expect, test } from 'vitest'
import { createCapturePipeline } from '../../../src-main/captures/pipeline.ts'

test('the steps for a capture run in a fixed order, whatever the order of their registration', () => {
  const ran: string[] = []
  const pipeline = createCapturePipeline(() => undefined)
  const steps = ['notifyIndexed', 'forward', 'matchInvoices', 'explain'] as const
  for (const step of steps) pipeline.on(step, ({ upTo }) => ran.push(`${step} ${upTo}`))
  for (const step of ['notify', 'index', 'committed'] as const) {
    pipeline.on(step, ({ count }) => ran.push(`${step} ${count}`))
  }
  pipeline.committed({ count: 2, bytes: 100 })
  pipeline.indexed({ upTo: 7 })
  expect(ran).toEqual([
    ...['committed 2', 'index 2', 'notify 2'],
    ...['explain 7', 'matchInvoices 7', 'forward 7', 'notifyIndexed 7'],
  ])
})

test('a failing step is reported, and the steps after it still run', () => {
  const ran: string[] = []
  const failed: unknown[] = []
  const pipeline = createCapturePipeline((step, error) => failed.push([step, error]))
  const error = new Error('no explanation')
  pipeline.on('explain', () => {
    throw error
  })
  pipeline.on('explain', () => ran.push('explain'))
  pipeline.on('forward', () => ran.push('forward'))
  pipeline.indexed({ upTo: 1 })
  expect([ran, failed]).toEqual([['explain', 'forward'], [['explain', error]]])
})
