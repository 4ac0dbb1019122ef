import { Address } from '@ton/core'
import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { compareFile } from '../../../src-main/webhooks/file/plans.ts'
import {
  type ActualWebhook,
  type SerializedWebhook,
  formatFile,
} from '../../../src-main/webhooks/file/export.ts'
import { readCsv, readYaml } from '../../../src-main/webhooks/file/read-file.ts'
import type { WantedFile } from '../../../src-main/webhooks/file/collect.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { subscriptionCodes } from '../../../src-preload/domain/error-codes.ts'

const account = (number: number, workchain = 0) =>
  `${workchain}:${number.toString(16).padStart(64, '0')}`
const friendly = (raw: string, options: Parameters<Address['toString']>[0] = {}) =>
  Address.parseRaw(raw).toString(options)
const endpoint = 'https://a.example/hook'

/** Returns the message without the place at its beginning. */
function problemOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== subscriptionCodes.fileInvalid) throw error
    const place = error.data as { readonly line?: number; readonly column?: number }
    const { line = null, column = null } = place
    const where = column === null ? `Line ${line}: ` : `Line ${line}, column ${column}: `
    if (line !== null) expect(error.message.startsWith(where)).toBe(true)
    const message = line === null ? error.message : error.message.slice(where.length)
    return { message, line, column }
  }
  throw new Error('It was read.')
}

const yaml = (rest: string) => `version: 1\nwebhooks:\n  - endpoint: ${endpoint}\n${rest}`

describe('subscription files in YAML', () => {
  test('in a YAML file an omitted value is null and an empty list is empty', () => {
    const file = readYaml(
      `version: 1
network: sandbox
webhooks:
  - endpoint: ${endpoint}
    id: 12345678901234567
    new_contracts: true
    opcodes: [0x0f8a7ea5, "4096"]
    accounts:
      - ${friendly(account(1))}
      - { address: "${account(2)}", label: 'alice: "A"' }
  - endpoint: "https://b.example"
    mempool: false
    accounts: []
`,
      false,
    )
    expect(file).toMatchObject({
      network: 'sandbox',
      webhooks: [
        {
          endpoint,
          // A JavaScript number would lose the last digit of the id.
          id: '12345678901234567',
          newContracts: { on: true, line: 6 },
          mempool: null,
          opcodes: [{ opcode: '0x0f8a7ea5' }, { opcode: '0x00001000' }],
          accounts: [
            { address: account(1), label: null, line: 9 },
            { address: account(2), label: 'alice: "A"', line: 10 },
          ],
        },
        { id: null, newContracts: null, mempool: { on: false }, opcodes: null, accounts: [] },
      ],
    })
  })

  // Each of these files could, if parsed loosely, unsubscribe accounts that the user wants.
  test.each([
    ['', /is empty/, null],
    ['  \n# only a remark\n', /must have keys and values/, 1],
    ['version: 1\nwebhooks: []\n', /contains no webhook/, null],
    ['webhooks: []\n', /"version: 1" is missing/, 1],
    ['version: 2\nwebhooks: []\n', /version 2/, 1],
    [yaml('    accounts: []\n    accounts: []\n'), /same key occurs twice/, 5],
    [yaml('    accounts:\n'), /be a list\. Write \[\] for none/, 4],
    [
      yaml('    acounts: []\n'),
      /"acounts" is not a valid key here. The valid keys are endpoint, id/,
      4,
    ],
    [yaml(`  - endpoint: ${endpoint}\n`), /already on line 3/, 4],
    [yaml('    mempool: yes\n'), /must be true or false, not "yes"/, 4],
    [yaml('    accounts: &a [x]\n    opcodes: *a\n'), /Anchors \(&\) and aliases/, 4],
    [
      yaml(
        '    accounts:\n      - |\n        &block\n      - "&quoted" # &remark\n      - *alias\n',
      ),
      /Anchors/,
      8,
    ],
    // Composing a file of 200,000 anchors would take over a minute.
    [yaml(`    accounts:\n${'      - &a x\n'.repeat(200_000)}`), /Anchors/, 5],
    [yaml('    accounts: [{ label: alice }]\n'), /has no address/, 4],
    [yaml('    accounts: [[x]]\n'), /not plain text must have keys/, 4],
    [yaml('   accounts: []\n'), /not valid YAML/, 4],
    [`${yaml('')}---\n${yaml('')}`, /several YAML documents/, 4],
    ['version: 1\nwebhooks:\n  - endpoint: ftp://a\n', /"ftp:\/\/a" is not a valid endpoint/, 3],
    ['version: 1\nwebhooks:\n  - id: 3\n', /has no endpoint/, 3],
    [`version: 1\nwebhooks: ${'['.repeat(20_000)}`, /nested too deeply|not valid YAML/, null],
  ])('the YAML file %j is refused with the line', (text, message, line) => {
    const problem = problemOf(() => readYaml(text, false))
    expect(problem.message).toMatch(message)
    if (line !== null) expect(problem.line).toBe(line)
  })

  test('nested anchors and aliases are refused before they are expanded', () => {
    const bomb = `a: &a [x,x]\n${'bcdefghij'
      .split('')
      .map((name, at) => `${name}: &${name} [*${'abcdefghi'[at] ?? ''},*${'abcdefghi'[at] ?? ''}]`)
      .join('\n')}\n`
    expect(problemOf(() => readYaml(bomb, false)).message).toMatch(/Anchors/)
  })
})

describe('subscription files in CSV', () => {
  test('a CSV file may have its columns in any order, semicolons, guarded formulas and quotation marks', () => {
    const guarded = account(7, -1)
    const file = readCsv(
      `\n"Kind";Endpoint;LABEL;value\r\nAccount;${endpoint};"a;b\nc";'${guarded}\r\n` +
        `new-contracts;${endpoint};;TRUE\r\nopcode;${endpoint};;none\r\n;https://b.example;;\r\n`,
      false,
    )
    expect(file.webhooks).toMatchObject([
      {
        accounts: [{ address: guarded, label: 'a;b\nc', line: 3 }],
        newContracts: { on: true, line: 5 },
        opcodes: [],
        mempool: null,
      },
      { endpoint: 'https://b.example', accounts: null, opcodes: null },
    ])
  })

  test('a CSV file without a header has the documented columns', () => {
    const file = readCsv(`${endpoint},account,${account(1)},alice\n`, false)
    expect(file.webhooks[0]?.accounts).toEqual([{ address: account(1), label: 'alice', line: 1 }])
  })

  test.each([
    ['\n\n', /is empty/, null],
    ['endpoint,kind,value\n', /contains no webhook/, null],
    ['endpoint,kind\n', /no column "value"/, 1],
    [`${endpoint},wallet,x\n`, /"wallet" is not a valid kind/, 1],
    [
      `${endpoint},account,none\n${endpoint},account,${account(1)}\n`,
      /both lists accounts .* has none/,
      2,
    ],
    [`${endpoint},mempool,true\n${endpoint},mempool,false\n`, /sets the opposite value/, 2],
    [`,account,${account(1)}\n`, /"" is not a valid endpoint/, 1],
    [`${endpoint},account,"${account(1)}\n`, /closing quotation mark is missing/, 1],
  ])('the CSV file %j is refused with the line', (text, message, line) => {
    const problem = problemOf(() => readCsv(text, false))
    expect(problem.message).toMatch(message)
    expect(problem.line).toBe(line)
  })
})

test('duplicates, test addresses, names, mistyped addresses and entries beyond the limit are reported', () => {
  const testOnly = friendly(account(3), { testOnly: true })
  const rows = [account(1), friendly(account(1)), testOnly, 'alice.ton', account(2).slice(0, -1)]
  const csv = rows.map((text) => `${endpoint},account,${text}`).join('\n')
  const [webhook] = readCsv(csv, false).webhooks
  expect(webhook?.accounts).toHaveLength(1)
  expect(webhook?.faults.flatMap(({ address }) => address ?? [])).toEqual([account(3)])
  expect(webhook?.faults.map(({ kind, line, subject }) => [kind, line, subject])).toEqual([
    ['duplicate', 2, rows[1]],
    ['wrong-network', 3, testOnly],
    ['invalid', 4, 'alice.ton'],
    ['invalid', 5, rows[4]],
  ])
  expect(readCsv(`${endpoint},account,${testOnly}`, true).webhooks[0]?.faults).toEqual([])
  expect(problemOf(() => readCsv(csv, false, 4))).toMatchObject({ line: 5 })
  const opcodes = yaml('    opcodes: ["0xF8A7EA5", 260734629, 0x123456789, eins]\n')
  const faults = readYaml(opcodes, false).webhooks[0]?.faults.map(({ kind }) => kind)
  expect(faults).toEqual(['duplicate', 'invalid', 'invalid'])
})

function webhookOf(id: string, at = endpoint): Webhook {
  return {
    network: 'sandbox',
    id,
    endpoint: at,
    status: 'online',
    statusSince: null,
    lastOnlineAt: null,
    failedAttempts: 0,
    accounts: 0,
    opcodes: 0,
    mempool: false,
    newContracts: true,
    tokenHint: null,
    tokenKnown: false,
    isHere: false,
    failing: 0,
    subscriptionsReadAt: null,
  }
}

function actualOf(webhook: Webhook, accounts: readonly string[], opcodes: string[] = []) {
  const sorted = accounts.toSorted()
  const actual: ActualWebhook = {
    ...webhook,
    opcodes,
    accountsAfter: (after, limit) => sorted.filter((each) => each > after).slice(0, limit),
  }
  return Promise.resolve(actual)
}

const names = ['Sandbox', 'sandbox']

async function compare(file: WantedFile, accounts: readonly string[], opcodes: string[] = []) {
  return compareFile(file, [webhookOf('1')], names, (found) => actualOf(found, accounts, opcodes))
}

test('a comparison lists differences, and leaves unmentioned properties and test addresses untouched', async () => {
  const testOnly = friendly(account(4), { testOnly: true })
  const text = yaml(
    `    new_contracts: false\n    accounts: ["${account(1)}", "${account(2)}", ${testOnly}]\n`,
  )
  const there = [account(2), account(3), account(4)]
  const { figures, of, deeds } = await compare(readYaml(text, false), there, ['0x00000001'])
  expect(figures.counts).toEqual({
    missing: 1,
    extra: 2,
    duplicate: 0,
    invalid: 0,
    'wrong-network': 1,
  })
  expect(figures).toMatchObject({
    same: 1,
    refusal: null,
    untouched: [],
    webhooks: [{ id: '1', wanted: 2, actual: 4, missing: 1, extra: 2 }],
  })
  expect(of(null).map(({ kind, what, subject }) => [kind, what, subject])).toEqual([
    ['wrong-network', 'account', testOnly],
    ['missing', 'account', account(1)],
    ['extra', 'new-contracts', ''],
    ['extra', 'account', account(3)],
  ])
  const { webhooks, list } = deeds()
  expect(webhooks).toEqual([{ id: '1', endpoint }])
  expect([...list].map(({ act, subject }) => [act, subject])).toEqual([
    ['subscribe', account(1)],
    ['unsubscribe', ''],
    ['unsubscribe', account(3)],
  ])
})

test('an invalid line, another network and an ambiguous webhook each refuse the complete file', async () => {
  const invalid = yaml(`    accounts: [mistyped]\n`)
  expect((await compare(readYaml(invalid, false), [account(1)])).figures.refusal).toMatch(
    /One entry of the file is invalid/,
  )
  const foreign = await compare(readYaml(`network: testnet\n${yaml('    accounts: []')}`, false), [
    account(1),
  ])
  expect(foreign.figures.refusal).toMatch(
    /for the network testnet, but the selected network is Sandbox/,
  )
  expect(foreign.of(null).map(({ kind }) => kind)).toEqual(['wrong-network'])
  const twins = [webhookOf('1'), webhookOf('2')]
  const plain = readYaml(yaml('    accounts: []'), false)
  const none = (webhook: Webhook) => actualOf(webhook, [])
  const unclear = await compareFile(plain, twins, names, none)
  expect(unclear.figures.refusal).toMatch(/Webhooks 1 and 2 deliver/)
  const byId = readYaml(yaml('    id: 2\n    accounts: []'), false)
  const clear = await compareFile(byId, twins, names, none)
  expect(clear.figures).toMatchObject({ refusal: null, untouched: [{ id: '1' }] })
  const wrongId = readYaml(yaml('    id: 3\n'), false)
  expect((await compareFile(wrongId, twins, names, none)).figures.refusal).toMatch(
    /Line 3 names webhook 3, which does not exist/,
  )
})

test('a missing webhook is to be created with all of its subscriptions', async () => {
  const text = yaml(`    mempool: true\n    accounts: ["${account(1)}"]\n`)
  const file = readYaml(text, false)
  const other = webhookOf('9', 'https://other.example/')
  const { deeds, figures } = await compareFile(file, [other], names, (w) => actualOf(w, []))
  expect(figures).toMatchObject({ webhooks: [{ id: null, missing: 3 }], untouched: [{ id: '9' }] })
  expect([...deeds().list].map(({ act, what }) => [act, what])).toEqual([
    ['create', 'webhook'],
    ['subscribe', 'mempool'],
    ['subscribe', 'account'],
  ])
})

test.each(['yaml', 'csv'] as const)(
  'a file exported as %s is parsed without a difference',
  async (format) => {
    const labels = ['=cmd|x', "'quoted'", 'a, "b": {c}', 'line\nbreak', 'ü\u0085\u2028 # no', '- x']
    const accounts = labels.map((label, index) => ({
      address: account(index + 1, -(index % 2)),
      label,
    }))
    async function* webhooks(): AsyncGenerator<SerializedWebhook> {
      const rest = { newContracts: true, mempool: null, opcodes: ['0x0f8a7ea5'] }
      yield { endpoint, id: '1', ...rest, accounts: pages() }
      const nothing = { newContracts: false, mempool: false, opcodes: [] }
      yield { endpoint: 'https://b.example/?a=1&b="2"', id: null, ...nothing, accounts: empty() }
      await Promise.resolve()
    }
    async function* pages() {
      yield accounts.slice(0, 2)
      yield await Promise.resolve([...accounts.slice(2), { address: account(99), label: null }])
    }
    async function* empty() {
      yield await Promise.resolve([])
    }
    let text = ''
    for await (const piece of formatFile(format, 'Our "net"', webhooks())) text += piece
    const bare = text.replace(/^\ufeff/, '')
    const file = format === 'yaml' ? readYaml(bare, false) : readCsv(bare, false)
    expect(file.network).toBe(format === 'yaml' ? 'Our "net"' : null)
    const [first, second] = file.webhooks
    expect(first?.faults).toEqual([])
    expect(first?.accounts?.map(({ address, label }) => ({ address, label }))).toEqual([
      ...accounts,
      { address: account(99), label: null },
    ])
    expect(first).toMatchObject({ id: '1', newContracts: { on: true }, mempool: null })
    expect(first?.opcodes).toMatchObject([{ opcode: '0x0f8a7ea5' }])
    expect(second).toMatchObject({ id: null, mempool: { on: false }, opcodes: [], accounts: [] })
  },
)
