import { expect, test } from 'vitest'
import type { LookupDraft } from '../../../../src-preload/contract/lookup.ts'
import {
  type ListUploadDeps,
  createListUpload,
  createListStore,
  maxTyped,
} from '../../../../src-renderer/components/address-list/list-upload.ts'

type Piece = { text: string } | { base64: string }

/** Simulates a main process that counts its requests, and timers that the test runs. */
function bench({ fullAfter = Infinity, failRead = false } = {}) {
  const calls: { name: string; input: Record<string, unknown> }[] = []
  let begun = 0
  let pieces = 0
  const counts = { valid: 0, duplicate: 0, wrongNetwork: 0, invalid: 0, lines: 0, beyond: 0 }
  const draftOf = (isFull: boolean): LookupDraft => ({
    id: `draft-${begun}`,
    network: 'sandbox',
    counts: { ...counts, valid: pieces },
    problems: [],
    isFull,
    remarks: [],
  })
  const waiting: (() => void)[] = []
  const store = createListStore()
  const deps: ListUploadDeps = {
    store,
    ask: ((name: string, input: Record<string, unknown>) => {
      calls.push({ name, input })
      if (name === 'lookup.begin') {
        begun += 1
        pieces = 0
        return Promise.resolve(draftOf(false))
      }
      pieces += 1
      return Promise.resolve(draftOf(pieces >= fullAfter))
    }) as ListUploadDeps['ask'],
    readPiece: async (blob, from, to) => {
      if (failRead) throw new Error('NotReadableError')
      return Buffer.from(await blob.slice(from, to).arrayBuffer()).toString('base64')
    },
    later: (_ms, work) => {
      waiting.push(work)
      return () => void waiting.splice(waiting.indexOf(work), 1)
    },
  }
  const feed = createListUpload(deps)
  feed.useNetwork('sandbox')
  const given = () =>
    calls.filter(({ name }) => name === 'lookup.append').map(({ input }) => input['piece'] as Piece)
  return { feed, store, calls, waiting, given, names: () => calls.map(({ name }) => name) }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('typed text is sent once as a whole after a pause, not on every key', async () => {
  const { feed, store, waiting, given } = bench()
  feed.type('EQ')
  feed.type('EQA')
  feed.type('EQAb')
  expect(waiting).toHaveLength(1)
  waiting[0]?.()
  await settled()
  expect(given()).toEqual([{ text: 'EQAb' }])
  expect(store.getState()).toMatchObject({ reading: null, typed: 'EQAb', draft: { id: 'draft-1' } })
})

test('a file is sent in pieces with every byte once, and the next list replaces it', async () => {
  const { feed, store, given, calls } = bench()
  const bytes = Buffer.alloc(1_200_001, 'x')
  await feed.open({ name: 'list.txt', blob: new Blob([bytes]) })
  const sent = given().map((piece) => Buffer.from('base64' in piece ? piece.base64 : '', 'base64'))
  expect(sent.map(({ length }) => length)).toEqual([500_000, 500_000, 200_001])
  expect(Buffer.concat(sent).equals(bytes)).toBe(true)
  expect(store.getState().reading).toBeNull()
  await feed.open({ name: 'other.txt', blob: new Blob(['EQ']) })
  const begins = calls.filter(({ name }) => name === 'lookup.begin').map(({ input }) => input)
  expect(begins.map(({ replaces }) => replaces)).toEqual([null, 'draft-1'])
})

test('a file of a gigabyte is read only until the list is full', async () => {
  const { feed, store, given } = bench({ fullAfter: 2 })
  const part = new Blob([Buffer.alloc(16 * 1024 * 1024)])
  await feed.open({ name: 'large.csv', blob: new Blob(Array.from({ length: 64 }, () => part)) })
  expect(given()).toHaveLength(2)
  expect(store.getState()).toMatchObject({ reading: null, draft: { isFull: true } })
})

test('an empty file is sent as an empty piece, and reading ends', async () => {
  const { feed, store, given } = bench()
  await feed.open({ name: 'empty.txt', blob: new Blob([]) })
  expect(given()).toEqual([{ base64: '' }])
  expect(store.getState().reading).toBeNull()
})

test('a file that is closed while it is read stops at its next piece and shows nothing', async () => {
  const { feed, store, given } = bench()
  const reading = feed.open({ name: 'large.txt', blob: new Blob([Buffer.alloc(5_000_000)]) })
  feed.closeFile()
  await reading
  await settled()
  expect(given().length).toBeLessThanOrEqual(1)
  expect(store.getState()).toMatchObject({ file: null, draft: null, reading: null })
})

test('the error of a file that vanished names the file and the next step', async () => {
  const { feed, store } = bench({ failRead: true })
  await feed.open({ name: 'gone.txt', blob: new Blob(['EQ']) })
  expect(store.getState().problem?.message).toMatch(/“gone\.txt”.*Open the file again/)
})

test('a text beyond the limit of the field becomes a file', async () => {
  const { feed, store, given } = bench()
  feed.type('EQ\n'.repeat(maxTyped))
  await settled()
  await settled()
  expect(store.getState()).toMatchObject({ typed: '', file: { name: 'Pasted text' } })
  expect(given().length).toBeGreaterThan(0)
})

test('the text is checked again for another network', async () => {
  const { feed, waiting, calls } = bench()
  feed.type('EQ')
  waiting[0]?.()
  await settled()
  feed.useNetwork('mainnet')
  await settled()
  const networks = calls.filter(({ name }) => name === 'lookup.begin').map(({ input }) => input)
  expect(networks.map(({ network }) => network)).toEqual(['sandbox', 'mainnet'])
})

test('the lookup starts with the last typed text, even before its check', async () => {
  const { feed, store, given } = bench()
  feed.type('EQ')
  expect(await feed.hand((draft) => Promise.resolve(draft))).toBe('draft-1')
  expect(given()).toEqual([{ text: 'EQ' }])
  expect(store.getState()).toMatchObject({ typed: '', draft: null })
})

test('the list stays available after a refused start', async () => {
  const { feed, store } = bench()
  feed.type('EQ')
  const refused = feed.hand(() => Promise.reject(new Error('The network is away.')))
  await expect(refused).rejects.toThrow('away')
  expect(store.getState()).toMatchObject({ typed: 'EQ', draft: { id: 'draft-1' } })
})

test('the lookup starts with the current text, not with an earlier check', async () => {
  const { feed, waiting, given } = bench()
  feed.type('EQA')
  waiting[0]?.()
  await settled()
  feed.type('EQA EQB')
  waiting[0]?.()
  const handed = await feed.hand((draft) => Promise.resolve(draft))
  expect(given().at(-1)).toEqual({ text: 'EQA EQB' })
  expect(handed).not.toBe('draft-1')
})
