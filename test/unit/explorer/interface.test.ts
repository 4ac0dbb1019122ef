/** Tests bodies by contract interfaces: the compilers' own output, and values that are encoded and decoded. */
import { beginCell } from '@ton/core'
import { expect, test } from 'vitest'
import { formatCell } from '../../../src-main/ton/boc.ts'
import type { Interface } from '../../../src-main/chain/contract-interface.ts'
import {
  decodeBody,
  encodeBody,
  inputsOf,
  newStepBudget,
} from '../../../src-main/chain/body-codec.ts'
import { parseInterface } from '../../../src-main/explorer/contracts/interface-text.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

const simple = (type: string, more: object = {}) => ({ kind: 'simple', type, ...more })
const field = (name: string, type: object) => ({ name, type })
const uint = (format: number) => simple('uint', { format })
const struct = (name: string, header: number | null, fields: object[]) => ({ name, header, fields })

/** The types, fields and their order are those of the source that Tact 1.6.13 compiled for the test below. */
const tact = parseInterface(
  JSON.stringify({
    types: [
      struct('Inner', null, [
        ...'abcd'.split('').map((each) => field(each, uint(256))),
        field('e', uint(32)),
      ]),
      struct('Small', null, [
        field('flag', simple('bool')),
        field('note', simple('string', { optional: true })),
      ]),
      struct('Tagged', 0x0a0b0c0d, [field('amount', simple('uint', { format: 'coins' }))]),
      struct('Wide', 0x11223344, [
        field('queryId', uint(64)),
        field('inner', simple('Inner')),
        field('after', uint(16)),
        field('big1', simple('int', { format: 257 })),
        field('big2', uint(256)),
        field('big3', uint(256)),
        field('small', simple('Small', { optional: true })),
        field('who', simple('address')),
        field('maybeWho', simple('address', { optional: true })),
        field('tagged', simple('Tagged')),
        field('count', simple('int', { optional: true, format: 257 })),
        field('bytes', simple('fixed-bytes', { format: 32 })),
        field('c1', simple('cell')),
        field('c2', simple('cell', { optional: true })),
        field('s', simple('slice')),
        field('places', { kind: 'dict', key: 'int', value: 'address' }),
        field('v', simple('int', { format: 'varint32' })),
        field('rest', simple('slice', { format: 'remainder' })),
      ]),
    ],
  }),
)

test('decoded fields continue in further cells where the generated wrapper of Tact 1.6.13 continues them', () => {
  const startsOf = (name: string) =>
    tact.structs.get(name)?.fields.flatMap((each) => (each.startsCell === true ? each.name : []))
  // storeInner and storeWide of the generated wrapper begin a builder before these fields.
  expect(startsOf('Inner')).toEqual(['d'])
  expect(startsOf('Wide')).toEqual(['big1', 'who', 'bytes'])
  const third = beginCell()
    .storeBuffer(Buffer.alloc(32, 7))
    .storeRef(beginCell())
    .storeBit(0)
    .storeRef(beginCell().storeUint(1, 8))
    .storeBit(0)
    .storeVarInt(-3, 5)
    .storeUint(5, 4)
  const second = beginCell()
    .storeAddress(null)
    .storeAddress(null)
    .storeUint(0x0a0b0c0d, 32)
    .storeCoins(77)
    .storeBit(0)
    .storeRef(third)
  const first = beginCell()
    .storeInt(-6, 257)
    .storeUint(7, 256)
    .storeUint(8, 256)
    .storeBit(0)
    .storeRef(second)
  const body = beginCell()
    .storeUint(0x11223344, 32)
    .storeUint(9, 64)
    .storeUint(1, 256)
    .storeUint(2, 256)
    .storeUint(3, 256)
    .storeRef(beginCell().storeUint(4, 256).storeUint(5, 32))
    .storeUint(10, 16)
    .storeRef(first)
    .endCell()
  const decoded = decodeBody(tact, body)?.fields.filter(({ kind }) => kind !== 'cell')
  expect(decoded?.map(({ name, value }) => `${name} ${value}`)).toEqual([
    ...['queryId 9', 'inner.a 1', 'inner.b 2', 'inner.c 3', 'inner.d 4', 'inner.e 5', 'after 10'],
    ...['big1 -6', 'big2 7', 'big3 8', 'small none', 'who none', 'maybeWho none'],
    ...['tagged.amount 77', 'count none', `bytes ${'07'.repeat(32)}`, 'c2 none', 'places empty'],
    'v -3',
  ])
})

const tolk = parseInterface(
  JSON.stringify({
    abi_schema_version: '1.0',
    contract_name: 'Counter',
    compiler_name: 'tolk',
    unique_types: [
      ...[{ kind: 'uintN', n: 32 }, { kind: 'uintN', n: 16 }, { kind: 'bool' }],
      ...[
        { kind: 'StructRef', struct_name: 'Details' },
        { kind: 'cellOf', inner_ty_idx: 3 },
      ],
      ...[
        { kind: 'StructRef', struct_name: 'Message' },
        { kind: 'nullable', inner_ty_idx: 3 },
      ],
      {
        kind: 'union',
        variants: [
          { variant_ty_idx: 0, prefix_num: 0, prefix_len: 1, is_prefix_implicit: true },
          { variant_ty_idx: 2, prefix_num: 1, prefix_len: 1, is_prefix_implicit: true },
        ],
      },
      ...[{ kind: 'coins' }, { kind: 'StructRef', struct_name: 'Node' }],
      ...[
        { kind: 'cellOf', inner_ty_idx: 9 },
        { kind: 'nullable', inner_ty_idx: 10 },
      ],
      ...[
        { kind: 'arrayOf', inner_ty_idx: 0 },
        { kind: 'StructRef', struct_name: 'List' },
      ],
    ],
    declarations: [
      {
        kind: 'struct',
        name: 'Details',
        ty_idx: 3,
        prefix: { prefix_num: 122, prefix_len: 8 },
        fields: [
          { name: 'amount', ty_idx: 1 },
          { name: 'enabled', ty_idx: 2 },
        ],
      },
      {
        kind: 'struct',
        name: 'Message',
        ty_idx: 5,
        prefix: { prefix_num: 0x12345678, prefix_len: 32 },
        fields: [
          { name: 'query_id', ty_idx: 0 },
          { name: 'details', ty_idx: 4 },
          { name: 'more', ty_idx: 6 },
          { name: 'either', ty_idx: 7 },
          { name: 'price', ty_idx: 8 },
          { name: 'node', ty_idx: 9 },
        ],
      },
      {
        kind: 'struct',
        name: 'Node',
        ty_idx: 9,
        fields: [
          { name: 'value', ty_idx: 0 },
          { name: 'next', ty_idx: 11 },
        ],
      },
      { kind: 'struct', name: 'List', ty_idx: 13, fields: [{ name: 'items', ty_idx: 12 }] },
    ],
    incoming_messages: [{ body_ty_idx: 5 }],
    get_methods: [
      { name: 'details', parameters: [{ name: 'at', ty_idx: 0 }], return_ty_idx: 3 },
      { name: 'counter', parameters: [], return_ty_idx: 0 },
    ],
    thrown_errors: [{ kind: 'constant', name: 'ERR_INVALID_COUNTER_ID', err_code: 100 }],
  }),
)

test('the ABI of Tolk provides messages, types in cells, get methods and names of exit codes', () => {
  expect(tolk.messages.map((each) => [each.name, each.opcode])).toEqual([['Message', 0x12345678]])
  expect(tolk.errors.get(100)).toBe('ERR_INVALID_COUNTER_ID')
  expect(tolk.unused).toEqual([
    'List: the type array<uint32> of the field items is not read by Tondesk.',
  ])
  expect(tolk.methods).toMatchObject([
    { name: 'details', returns: 'Details', result: [{ name: 'amount' }, { name: 'enabled' }] },
    { name: 'counter', returns: 'uint32', result: [] },
  ])
  const details = beginCell().storeUint(122, 8).storeUint(513, 16).storeBit(1)
  const body = beginCell()
    .storeUint(0x12345678, 32)
    .storeUint(42, 32)
    .storeRef(details)
    .storeBit(0)
    .storeBit(1)
    .storeBit(0)
    .storeCoins(5)
    .storeUint(3, 32)
    .storeBit(0)
    .endCell()
  expect(decodeBody(tolk, body)?.fields.map(({ name, value }) => `${name} ${value}`)).toEqual([
    ...['query_id 42', 'details.amount 513', 'details.enabled true', 'more none'],
    ...['either bool', 'either.bool false', 'price 5', 'node.value 3', 'node.next none'],
  ])
})

const tlb = parseInterface(`
  item$_ count:uint16 label:(Maybe ^Cell) = Item;
  red$0 = Colour; mixed$1 share:(## 7) = Colour;
  list#5a head:uint8 tail:(Maybe ^List) = List;
  deal#aabbccdd query_id:uint64 item:Item colour:Colour far:^Item who:MsgAddressInt
    amount:Coins key:bits13 list:List note:(Either Cell ^Cell) = Body;`)

/** Returns random values for the displayed inputs, by key. */
function fill(content: Interface, at: number, random: () => number) {
  const message = content.messages[at]
  if (message === undefined) throw new Error('no message')
  const values: Record<string, string> = {}
  const told: string[] = []
  const cell = () =>
    formatCell(
      beginCell()
        .storeUint(Math.floor(random() * 1e9), 32)
        .endCell(),
    )
  for (const { key, name, type, kind, options, when } of inputsOf(content, message.fields)) {
    const isShown = (place: typeof when): boolean =>
      place === null || values[place.key] === String(place.option)
    if (!isShown(when)) continue
    const tell = (value: string, decoded = value) => {
      values[key] = value
      told.push(`${name} ${decoded}`)
    }
    if (kind === 'choice') {
      values[key] = String(Math.floor(random() * options.length))
      const option = options[Number(values[key])] ?? ''
      if (type === 'one of' || option === 'none') told.push(`${name} ${option}`)
    } else if (kind === 'number') {
      const bits = Number(/\d+$/.exec(type)?.[0] ?? 8)
      const number = BigInt(Math.floor(random() * 2 ** Math.min(bits - 1, 50)))
      tell(String(type.startsWith('int') && random() < 0.5 ? -number : number))
    } else if (kind === 'coins') tell(String(Math.floor(random() * 1e12)))
    else if (kind === 'bool') tell(String(random() < 0.5))
    else if (kind === 'address') {
      tell(
        random() < 0.3
          ? 'none'
          : `0:${Math.floor(random() * 1e9)
              .toString(16)
              .padStart(64, '0')}`,
      )
    } else if (kind === 'text')
      tell(`text ${Math.floor(random() * 1e6)} é`.repeat(1 + Math.floor(random() * 20)))
    else if (kind === 'bits') {
      const bits = Number(/\d+$/.exec(type)?.[0])
      const builder = beginCell()
      for (let bit = 0; bit < bits; bit += 1) builder.storeBit(random() < 0.5)
      tell(builder.asCell().bits.toString())
    } else if (kind === 'map') {
      if (random() < 0.5) tell('empty')
      else tell(cell())
    } else tell(cell())
  }
  return { message, values, told }
}

test('the values of a message are the same after encoding and decoding, in each format', () => {
  const random = seededRandom(23)
  for (const content of [tact, tolk, tlb]) {
    for (let round = 0; round < 200; round += 1) {
      const at = Math.floor(random() * content.messages.length)
      const { message, values, told } = fill(content, at, random)
      const decoded = decodeBody(content, encodeBody(content, message, values, true))
      expect(decoded?.operation).toBe(message.name)
      expect(decoded?.fields.map(({ name, value }) => `${name} ${value}`)).toEqual(told)
    }
  }
})

test('a TL-B type that contains itself in one cell is omitted, and its messages keep their names and opcodes', () => {
  const recursive = parseInterface(
    'cons$0 tail:List head:uint8 = List; nil$1 = List; a#00000001 x:uint8 l:List y:uint8 = A; b#00000002 z:uint8 = B;',
  )
  expect(
    recursive.messages.map(({ opcode, name, fields }) => [opcode, name, fields.length]),
  ).toEqual([
    [1, 'a', 2],
    [2, 'b', 1],
  ])
  expect(recursive.unused.join()).toContain('contains itself in one cell')
  const body = beginCell()
    .storeUint(1, 32)
    .storeUint(7, 8)
    .storeUint(0b1, 1)
    .storeUint(9, 8)
    .endCell()
  expect(decodeBody(recursive, body)).toMatchObject({
    operation: 'a',
    fields: [{ name: 'x', value: '7' }, { name: 'rest' }],
  })
  const loop = { abi_schema_version: '1.0', unique_types: [{ kind: 'nullable', inner_ty_idx: 0 }] }
  const method = { name: 'x', parameters: [{ name: 'p', ty_idx: 0 }], return_ty_idx: 0 }
  expect(parseInterface(JSON.stringify({ ...loop, get_methods: [method] })).messages).toEqual([])
})

test('an unknown type in a TL-B message affects neither its name nor other messages', () => {
  const swap = parseInterface(
    'swap#9c610de3 asset:MsgAddress ^[ a:Coins b:Coins ] n:uint8 = ExtOut; odd#0a0b0c0d q:uint8 w:(Odd 7) = Odd1; fine#0a0b0c0e x:uint8 = Fine;',
  )
  expect(swap.messages.map(({ name, fields }) => [name, fields.map((each) => each.name)])).toEqual([
    ['swap', ['asset', 'cell_1', 'n']],
    ['odd', ['q', 'rest']],
    ['fine', ['x']],
  ])
  expect(swap.unused).toEqual(['odd: the type (Odd 7) is unknown.'])
  const repeated =
    'nothing$0 {X:Type} = Maybe X; just$1 {X:Type} value:X = Maybe X; fine#0a0b0c0e x:uint8 = F;'
  expect(parseInterface(repeated).unused).toEqual([])
  const inner = beginCell().storeCoins(5).storeCoins(6).endCell()
  const body = beginCell().storeUint(0x9c610de3, 32).storeUint(0, 2).storeRef(inner).storeUint(3, 8)
  expect(decodeBody(swap, body.endCell())).toMatchObject({
    operation: 'swap',
    fields: [{ name: 'asset' }, { name: 'cell_1' }, { name: 'n', value: '3' }],
  })
})

test('a TL-B that describes only storage is refused with that reason', () => {
  expect(() => parseInterface('storage$_ seqno:uint32 balance:Coins = Storage;')).toThrow(
    /describes data only, such as the storage/,
  )
})

test('in an ABI of Tolk a cell of an unreadable type stays a cell, and results of get methods cause no warning', () => {
  const read = parseInterface(
    JSON.stringify({
      abi_schema_version: '1.0',
      unique_types: [
        { kind: 'StructRef', struct_name: 'Deploy' },
        { kind: 'uintN', n: 64 },
        { kind: 'cellOf', inner_ty_idx: 3 },
        { kind: 'StructRef', struct_name: 'StringTail' },
        { kind: 'StructRef', struct_name: 'Result' },
        { kind: 'int' },
        { kind: 'remaining' },
      ],
      declarations: [
        {
          kind: 'struct',
          name: 'Deploy',
          ty_idx: 0,
          prefix: { prefix_num: 0x0a0b0c0d, prefix_len: 32 },
          fields: [
            { name: 'id', ty_idx: 1 },
            { name: 'text', ty_idx: 2 },
          ],
        },
        {
          kind: 'struct',
          name: 'StringTail',
          ty_idx: 3,
          custom_pack_unpack: { pack_to_builder: true, unpack_from_slice: true },
          fields: [{ name: 'tail', ty_idx: 6 }],
        },
        { kind: 'struct', name: 'Result', ty_idx: 4, fields: [{ name: 'balance', ty_idx: 5 }] },
      ],
      incoming_messages: [{ body_ty_idx: 0 }],
    }),
  )
  expect(
    read.messages.map(({ name, fields }) => [name, fields.map(({ type }) => type.kind)]),
  ).toEqual([['Deploy', ['int', 'cell']]])
  expect(read.unused.join()).not.toContain('Result')
})

test('decoding a body costs at most 5,000 steps over all messages and interfaces', () => {
  const types = Array.from({ length: 300 }, (_, index) =>
    struct(`M${index}`, 0x0a0b0c0d, [
      field(`own${index}`, uint(1)),
      ...Array.from({ length: 100 }, (_each, at) => field(`f${at}`, uint(1))),
      field('more', uint(256)),
    ]),
  )
  const hostile = parseInterface(JSON.stringify({ types }))
  const honest = parseInterface('ping#0a0b0c0d bits:bits200 = Ping;')
  const body = beginCell().storeUint(0x0a0b0c0d, 32).storeUint(0, 200).endCell()
  const budget = newStepBudget()
  expect(decodeBody(honest, body, budget)?.operation).toBe('ping')
  const one = newStepBudget().steps - budget.steps
  expect(one).toBe(1)
  for (let round = 0; round < 3; round += 1) expect(decodeBody(hostile, body, budget)).toBeNull()
  expect(budget.steps).toBeGreaterThan(-2)
  expect(budget.steps).toBeLessThanOrEqual(0)
  // The result depends on the remaining budget, not on the order of the interfaces.
  expect(decodeBody(honest, body, budget)).toBeNull()
})

test('more than 8 messages with one opcode and the same fields are refused', () => {
  const alike = (count: number) =>
    Array.from({ length: count }, (_, index) => `m${index}#0a0b0c0d x:uint8 = M${index};`).join('')
  expect(parseInterface(alike(8)).messages).toHaveLength(8)
  expect(() => parseInterface(alike(9))).toThrow(/More than 8 messages have the opcode/)
  const different = alike(8) + 'other#0a0b0c0d y:uint8 = Other; another#0a0b0c0e x:uint8 = Another;'
  expect(parseInterface(different).messages).toHaveLength(10)
})

test.each([
  // A cell of unknown content is decoded as a cell.
  ['a cell of a cell', (count: number) => `(${'^'.repeat(count)}uint8)`, ['m', 'deep']],
  // Unreadable fields become the rest of the body.
  ['an optional value', (count: number) => `(${'Maybe '.repeat(count)}uint8)`, ['m', 'deep']],
])('deeply nested TL-B modifiers are not decoded: %s', (_what, type, names) => {
  for (const count of [40, 3_000, 19_000]) {
    const read = parseInterface(`m#0a0b0c0d x:uint8 = M; deep#0a0b0c0e x:${type(count)} = Deep;`)
    const found = read.messages.map(({ name }) => name)
    expect(found).toContain('m')
    // A definition of many characters is omitted as a whole.
    if (count === 40) expect(found).toEqual(names)
  }
})

/** Returns the parsed interface or the reason for its refusal, without its name. */
function outcome(content: string, name: string): string {
  try {
    return JSON.stringify(parseInterface(content)).replaceAll(name, '…')
  } catch (error) {
    return String(error).replaceAll(name, '…')
  }
}

test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__'])(
  'a type or format named %s is refused like any unknown type',
  (name) => {
    const contents = (type: string) => [
      `send#0a0b0c0d x:${type} y:uint8 = InternalMsgBody;`,
      JSON.stringify({ types: [struct('A', 1, [field('x', simple('uint', { format: type }))])] }),
      JSON.stringify({ types: [struct('A', 1, [field('x', simple(type))])] }),
    ]
    const unknown = contents('nonsense').map((content) => outcome(content, 'nonsense'))
    expect(contents(name).map((content) => outcome(content, name))).toEqual(unknown)
  },
)
