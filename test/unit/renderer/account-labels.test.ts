import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Label } from '../../../src-preload/contract/label.ts'
import {
  reloadLabels,
  reportAccount,
  useAccountLabels,
} from '../../../src-renderer/app/account-labels.ts'
import { type Transport, connect } from '../../../src-renderer/app/bridge.ts'

const label = (address: string, name: string): Label => ({
  network: 'testnet',
  address,
  name,
  note: '',
  changedAt: 0,
})

let book: Label[] = []
/** Each reply waits for the first of these promises. */
let gates: Promise<null>[] = []
let requests = 0
let stop = () => {}

beforeAll(() => {
  const transport = {
    on: () => () => undefined,
    start: (onStatus) => onStatus('open'),
    retry: () => undefined,
    request: async (name, input) => {
      expect(name).toBe('label.list')
      requests += 1
      const { offset = 0, limit = 100 } = input as { offset?: number; limit?: number }
      const labels = book.slice(offset, offset + limit)
      const total = book.length
      await gates.shift()
      return { ok: true, data: { total, labels } }
    },
  } as Transport
  stop = connect(transport)
})

afterAll(() => stop())

beforeEach(() => {
  useAccountLabels.setState({ books: { testnet: new Map() }, reported: {} })
  book = []
  gates = []
  requests = 0
})

const nameOf = (address: string) => useAccountLabels.getState().books['testnet']?.get(address)

describe('the labels of a network', () => {
  it('labels are loaded page by page', async () => {
    book = Array.from({ length: 1201 }, (_, at) => label(`0:${at}`, `name ${at}`))
    reloadLabels('testnet')
    await expect.poll(() => nameOf('0:1200')).toBe('name 1200')
    expect(requests).toBe(3)
  })

  it('labels that change while they are loaded are loaded again', async () => {
    const gate = Promise.withResolvers<null>()
    gates = [gate.promise]
    book = [label('0:1', 'old')]
    reloadLabels('testnet')
    await expect.poll(() => requests).toBe(1)
    book = [label('0:1', 'new')]
    reloadLabels('testnet')
    gate.resolve(null)
    await expect.poll(() => nameOf('0:1')).toBe('new')
    expect(requests).toBe(2)
  })

  it('labels are not loaded for a network that is not displayed', () => {
    reloadLabels('mainnet')
    expect(requests).toBe(0)
  })
})

describe('the names that networks report for accounts', () => {
  const reported = () => useAccountLabels.getState().reported['testnet']?.get('0:1')

  it('a reported name and kind are stored for the address, whichever arrived first', async () => {
    reportAccount('testnet', { address: '0:1', name: null, isWallet: true })
    reportAccount('testnet', { address: '0:1', name: 'shop.ton', isWallet: false })
    reportAccount('testnet', { address: '0:2', name: null, isWallet: false })
    await expect.poll(reported).toEqual({ address: '0:1', name: 'shop.ton', isWallet: true })
    expect(useAccountLabels.getState().reported['testnet']?.size).toBe(1)
  })

  it('an account that is reported again without news changes no state', async () => {
    reportAccount('testnet', { address: '0:1', name: 'shop.ton', isWallet: true })
    await expect.poll(reported).toBeDefined()
    const before = useAccountLabels.getState()
    reportAccount('testnet', { address: '0:1', name: null, isWallet: true })
    await Promise.resolve()
    expect(useAccountLabels.getState()).toBe(before)
  })
})
