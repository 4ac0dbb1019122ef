import { expect, test } from 'vitest'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import {
  type PlanUploadDeps,
  createPlanUpload,
  createPlanStore,
} from '../../../../src-renderer/features/webhooks/file/plan.ts'

/**
 * Simulates a main process that records its requests; with `lost` it has no plan after the first
 * comparison.
 */
function bench({ lost = false } = {}) {
  const calls: { name: string; input: Record<string, unknown> }[] = []
  const compared = new Set<unknown>()
  let begun = 0
  const store = createPlanStore()
  const feed = createPlanUpload({
    store,
    ask: ((name: string, input: Record<string, unknown>) => {
      calls.push({ name, input })
      if (name === 'plan.begin') return Promise.resolve({ id: `plan-${(begun += 1)}` })
      if (name !== 'plan.compare') return Promise.resolve({ bytes: 0 })
      if (lost && compared.has(input['id'])) {
        return Promise.reject(new AppError('PLAN_UNKNOWN', 'It is held no longer.'))
      }
      compared.add(input['id'])
      return Promise.resolve({ id: input['id'] })
    }) as PlanUploadDeps['ask'],
    readPiece: async (blob, from, to) =>
      Buffer.from(await blob.slice(from, to).arrayBuffer()).toString('base64'),
  })
  feed.useNetwork('sandbox')
  return { feed, store, calls, names: () => calls.map(({ name }) => name) }
}

const file = (text: string) => ({ name: 'wanted.yaml', blob: new Blob([text]) })

test('a file is sent in pieces with every byte once before the comparison', async () => {
  const { feed, store, calls, names } = bench()
  const bytes = Buffer.alloc(1_200_001, 'x')
  await feed.open({ name: 'large.yaml', blob: new Blob([bytes]) }, 'yaml')
  const sent = calls.flatMap(({ input }) =>
    'base64' in input ? [Buffer.from(String(input['base64']), 'base64')] : [],
  )
  expect(Buffer.concat(sent).equals(bytes)).toBe(true)
  expect(names().at(-1)).toBe('plan.compare')
  expect(store.getState()).toMatchObject({ busy: null, plan: { id: 'plan-1' } })
})

test('the file that is opened last is shown, even if another file is still being sent', async () => {
  const { feed, store } = bench()
  const former = feed.open(file('a'.repeat(2_000_000)), 'yaml')
  await feed.open(file('b'), 'csv')
  await former
  expect(store.getState()).toMatchObject({ format: 'csv', plan: { id: 'plan-2' } })
})

test('a plan that the main process no longer has is sent again', async () => {
  const { feed, store, names } = bench({ lost: true })
  await feed.open(file('a'), 'yaml')
  await feed.again()
  expect(names().filter((name) => name === 'plan.begin')).toHaveLength(2)
  expect(store.getState()).toMatchObject({ problem: null, plan: { id: 'plan-2' } })
})

test('the file is compared again for another network', async () => {
  const { feed, store, calls } = bench()
  await feed.open(file('a'), 'yaml')
  feed.useNetwork('mainnet')
  expect(store.getState().plan).toBeNull()
  const begins = calls.filter(({ name }) => name === 'plan.begin')
  expect(begins.map(({ input }) => input['network'])).toEqual(['sandbox', 'mainnet'])
})
