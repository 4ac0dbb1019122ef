/** Reads subscriptions from YAML. Anything undocumented is an error with its line and column. */
import { type Node, CST, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument } from 'yaml'
import {
  type Collector,
  type Place,
  type WebhookCollector,
  createCollector,
  type WantedFile,
  FileProblem,
  yamlVersion as version,
} from './collect.ts'

type Reader = (node: unknown, place: Place) => void

/** @throws FileProblem */
export function readYaml(text: string, testOnly: boolean, max?: number): WantedFile {
  if (text.trim() === '') throw new FileProblem('The file is empty.')
  refuseAnchors(text)
  const lines = new LineCounter()
  // Scalars stay text: as numbers, 12 and 0x0f8a7ea5 would lose their spelling.
  const document = parse(text, lines)
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const [error] = document.errors
  if (error !== undefined) {
    const { line, column } = placeAt(error.pos[0])
    throw new FileProblem(wordsOf(error.code, error.message), line, column)
  }
  const start = { line: 1, column: 1 }
  const collector = createCollector(testOnly, max)
  readFile(document.contents, start, collector, placeAt)
  return collector.end()
}

/**
 * Anchors can expand a short file without limit, and composing takes quadratic time in them. Lexing takes
 * linear time, so anchors are refused before.
 */
function refuseAnchors(text: string): void {
  if (!/[&*]/.test(text)) return
  let line = 1
  let lineStart = 0
  let offset = 0
  let isScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalar && /^[&*]/.test(lexeme)) {
      throw wrong('Anchors (&) and aliases (*) are not taken: write it out.', {
        line,
        column: offset - lineStart + 1,
      })
    }
    // Unlike the lexer's marks, the byte order mark is part of the text.
    isScalar = lexeme === CST.SCALAR
    if (isScalar || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) continue
    for (const { index } of lexeme.matchAll(/\n/g)) {
      line += 1
      lineStart = offset + index + 1
    }
    offset += lexeme.length
  }
}

function parse(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { schema: 'failsafe', lineCounter, prettyErrors: false })
  } catch (error) {
    if (error instanceof RangeError) throw new FileProblem('It is nested too deeply to be read.')
    throw error
  }
}

function wordsOf(code: string, message: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'The same key stands twice here: which of them is meant cannot be told.'
    case 'MULTIPLE_DOCS':
      return 'It holds more than one document: give each a file of its own.'
    default:
      return `It is no YAML: ${message.replace(/\.?$/, '.')}`
  }
}

function readFile(
  contents: unknown,
  start: Place,
  collector: Collector,
  placeAt: (offset: number) => Place,
): void {
  const placeOf = (node: unknown, otherwise: Place): Place => {
    const range = (node as Node | null)?.range
    return range === null || range === undefined ? otherwise : placeAt(range[0])
  }

  function readMap(node: unknown, place: Place, what: string, readers: Record<string, Reader>) {
    if (!isMap(node)) throw wrong(`${what} is made of keys and values.`, place)
    for (const pair of node.items) {
      const at = placeOf(pair.key, place)
      const key = readText(pair.key, at, 'A key')
      const reader = Object.hasOwn(readers, key) ? readers[key] : undefined
      if (reader === undefined) {
        const known = Object.keys(readers).join(', ')
        throw wrong(`"${key.slice(0, 80)}" has no meaning here; ${known} have.`, at)
      }
      reader(pair.value, placeOf(pair.value, at))
    }
  }

  function readList(node: unknown, place: Place, what: string, read: Reader): void {
    if (!isSeq(node)) {
      throw wrong(
        `${what} is a list. Write [] for none, or leave the key out to leave it alone.`,
        place,
      )
    }
    for (const item of node.items) read(item, placeOf(item, place))
  }

  function readText(node: unknown, place: Place, what: string): string {
    if (!isScalar(node) || typeof node.value !== 'string') {
      throw wrong(`${what} is a plain text here.`, place)
    }
    return node.value
  }

  function readAccount(webhook: WebhookCollector, node: unknown, place: Place): void {
    if (!isMap(node)) {
      webhook.account(readText(node, place, 'An account').trim(), null, place)
      return
    }
    const said: { address?: readonly [string, Place]; label?: string } = {}
    readMap(node, place, 'An account', {
      address: (value, at) => void (said.address = [readText(value, at, 'An address').trim(), at]),
      label: (value, at) => void (said.label = readText(value, at, 'A label').trim()),
    })
    if (said.address === undefined) throw wrong('The account has no address.', place)
    const [address, at] = said.address
    webhook.account(address, said.label === '' ? null : (said.label ?? null), at)
  }

  function readWebhook(node: unknown, place: Place): void {
    const text = (key: string) => {
      const value = isMap(node) ? node.get(key, true) : undefined
      return value === undefined ? null : readText(value, placeOf(value, place), key).trim()
    }
    const endpoint = text('endpoint')
    if (endpoint === null) throw wrong('The webhook has no endpoint.', place)
    const webhook = collector.webhook(endpoint, text('id'), place, false)
    readMap(node, place, 'A webhook', {
      endpoint: () => undefined,
      id: () => undefined,
      new_contracts: (value, at) =>
        webhook.flag('newContracts', readText(value, at, 'new_contracts').trim(), at),
      mempool: (value, at) => webhook.flag('mempool', readText(value, at, 'mempool').trim(), at),
      opcodes(value, at) {
        webhook.mention('opcodes')
        readList(value, at, 'opcodes', (item, where) =>
          webhook.opcode(readText(item, where, 'An opcode').trim(), where),
        )
      },
      accounts(value, at) {
        webhook.mention('accounts')
        readList(value, at, 'accounts', (item, where) => readAccount(webhook, item, where))
      },
    })
  }

  const said: { version?: string } = {}
  readMap(contents, start, 'A file of subscriptions', {
    version: (value, at) => {
      const given = readText(value, at, 'version').trim()
      said.version = given
      if (given !== version) {
        throw wrong(
          `This is version ${given.slice(0, 20)}, and what is read here is ${version}.`,
          at,
        )
      }
    },
    network: (value, at) => collector.network(readText(value, at, 'network').trim()),
    webhooks: (value, at) => readList(value, at, 'webhooks', readWebhook),
  })
  if (said.version === undefined) throw wrong(`It does not say "version: ${version}".`, start)
}

function wrong(message: string, { line, column }: Place): FileProblem {
  return new FileProblem(message, line, column)
}
