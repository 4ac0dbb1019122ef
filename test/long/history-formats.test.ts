/**
 * Checks exported journals with the programs that import them. Strangers can choose the amounts,
 * names and comments. A test is skipped if its program is not installed.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HistoryFormat } from '../../src-preload/contract/history-export.ts'
import {
  type HistoryRow,
  fileEndings,
  formatHistory,
} from '../../src-main/explorer/history-export/history-files.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'

const symbols = [
  ...[
    'TON',
    '   ',
    '🐸🚀',
    '123',
    'TON',
    'ton',
    'usd"t;\n',
    'EUR/USD',
    'a b',
    'T',
    'X',
    '-x',
    'Ünï',
    '=',
  ],
  ...[
    'A VERY LONG NAME OF A JETTON LONGER THAN ANY LIMIT',
    '[x]',
    '{y}',
    '@@',
    '*',
    '',
    'TON-141414',
  ],
]
const comments = [
  ...['plain', 'a "quoted" | pipe', 'line\nbreak', 'semi;colon', '\\back\\', '=1+1', '(code) ! x'],
  ...['; start', 'tag: value, x:y', '*', '\u202ertl\u0000nul', '2024-01-01', 'é🐸'],
]
const masters = symbols.map((_, at) =>
  at === 0 ? 'TON' : `0:${(at + 16).toString(16).repeat(32)}`,
)
const decimalsOf = (at: number) => (at === 0 ? 9 : ([0, 6, 18, 2][at % 4] ?? 0))

function randomHistory() {
  const changes = masters.map(() => 0n)
  const rows = Array.from({ length: 2000 }, (_, n): HistoryRow => {
    const at = n % masters.length
    const units = BigInt((n * 7919) % 100_000) * (n % 3 === 0 ? -1n : 1n)
    const fee = n % 2 === 0 ? BigInt(n) * 1000n + 1n : 0n
    changes[at] = (changes[at] ?? 0n) + units
    changes[0] = (changes[0] ?? 0n) - fee
    return {
      lt: String(1000 + n),
      source: 0,
      n,
      at: Date.UTC(2026, 0, 1) + n * 3_600_000,
      hash: n.toString(16).padStart(64, '0'),
      kind: 'transfer',
      direction: units < 0n ? 'out' : 'in',
      peer: n % 5 === 0 ? null : (masters[1] ?? null),
      asset: masters[at] ?? '',
      units: units.toString(),
      fee: fee.toString(),
      comment: comments[n % comments.length] ?? null,
      status: n % 7 === 0 ? 'failed' : 'ok',
      action: null,
      sentence: null,
      transactions: null,
      isScam: false,
      rate: null,
      feeRate: null,
      peerLabel: n % 11 === 0 ? 'My; "label"\n' : null,
    }
  })
  const assets = masters.map((key, at) => ({
    key,
    symbol: symbols[at] ?? '',
    decimals: decimalsOf(at),
    received: '0',
    sent: '0',
    fees: '0',
    ratesLt: null,
    ratesAt: null,
    isRated: true,
    opening: '5000000',
    closing: (5_000_000n + (changes[at] ?? 0n)).toString(),
    difference: '0',
    reason: null,
  }))
  const subject = {
    network: 'custom-00000001',
    address: `0:${'1f'.repeat(32)}`,
    from: null,
    to: 0,
    view: 'transactions' as const,
    fiat: null,
    assets,
    notes: ['note; "x"\ny'],
    testOnly: false,
    sums: assets.map(({ key, ...sums }) => ({
      ...sums,
      asset: key,
      source: 0,
      later: '0',
      balance: null,
    })),
  }
  return { rows, subject }
}

async function formatted(format: HistoryFormat): Promise<string> {
  const { rows, subject } = randomHistory()
  async function* batches() {
    for (let at = 0; at < rows.length; at += 100) {
      yield await Promise.resolve(rows.slice(at, at + 100))
    }
  }
  let text = ''
  for await (const chunk of formatHistory(format, subject, batches())) {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  }
  return text
}

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined

test.each([
  { format: 'hledger', program: 'hledger', args: (file: string) => ['-f', file, 'check'] },
  { format: 'beancount', program: 'bean-check', args: (file: string) => [file] },
] as const)('$program accepts an exported history and its balances', async (each) => {
  const { format, program, args } = each
  if (!isInstalled(program)) return
  using directory = temporaryDirectory()
  const file = join(directory.path, `history.${fileEndings[format]}`)
  writeFileSync(file, await formatted(format))
  const env = { ...process.env, LANG: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync(program, args(file), { encoding: 'utf8', env })
  expect(`${stdout}${stderr}`).toBe('')
  expect(status).toBe(0)
})

test('a Koinly export has a currency for every amount, one for each asset, and no fee for a deposit', async () => {
  const [header = '', ...lines] = (await formatted('koinly')).trim().split('\r\n')
  expect(header).toContain('Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount')
  const currencies = new Set<string>()
  for (const line of lines) {
    const [, sent, sentIn = '', received, receivedIn = '', fee] = line.split(',')
    expect([Boolean(sent), Boolean(received)]).toEqual([Boolean(sentIn), Boolean(receivedIn)])
    expect(received === '' || fee === '').toBe(true)
    for (const each of [sentIn, receivedIn]) if (each !== '') currencies.add(each)
  }
  expect(currencies.size).toBe(masters.length)
})
