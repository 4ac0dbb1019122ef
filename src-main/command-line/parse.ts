import { parseArgs } from 'node:util'
import { type Command, usageError } from './command.ts'
import { globalOptions } from './help.ts'

type Parsed =
  | { readonly kind: 'help'; readonly command: Command | null }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly options: Readonly<Record<string, string | boolean | undefined>>
      readonly lists: Readonly<Record<string, readonly string[]>>
      readonly positionals: readonly string[]
      readonly dataDirectory: string | undefined
    }

/**
 * What was typed. `--data-dir` may stand before the command or after it. Pure.
 * @throws AppError USAGE with one sentence
 */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Parsed {
  const before: string[] = []
  let rest = [...argv]
  while (rest[0]?.startsWith('-')) {
    const option = rest.shift() ?? ''
    before.push(option)
    if (option === '--data-dir' && rest.length > 0) before.push(rest.shift() ?? '')
  }

  const own = parse(before, {
    'data-dir': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
  })
  const name = rest[0]
  if (own.values['version'] === true) return { kind: 'version' }
  if (name === undefined) return { kind: 'help', command: null }
  rest = rest.slice(1)
  if (name === 'help') {
    return { kind: 'help', command: rest[0] === undefined ? null : find(rest[0], commands) }
  }

  const command = find(name, commands)
  const parsed = parse(
    rest,
    { ...command.options, ...globalOptions, help: { type: 'boolean', short: 'h' } },
    ` See \`tondesk ${name} --help\`.`,
  )
  if (own.values['help'] === true || parsed.values['help'] === true) {
    return { kind: 'help', command }
  }
  checkPositionals(command, parsed.positionals)
  const { 'data-dir': after, ...options } = parsed.values
  const dataDirectory = after ?? own.values['data-dir']
  if (dataDirectory === '') throw usageError('--data-dir takes a folder.')
  return {
    kind: 'run',
    command,
    options,
    lists: parsed.lists,
    positionals: parsed.positionals,
    dataDirectory: typeof dataDirectory === 'string' ? dataDirectory : undefined,
  }
}

function find(name: string, commands: readonly Command[]): Command {
  const command = commands.find((one) => one.name === name)
  if (command) return command
  throw usageError(`There is no command "${name}". See \`tondesk --help\`.`)
}

type OptionTypes = Record<
  string,
  { type: 'string' | 'boolean'; short?: string; multiple?: boolean }
>

function parse(args: string[], described: OptionTypes, hint = ' See `tondesk --help`.') {
  const options: OptionTypes = {}
  for (const [name, { type, short, multiple = false }] of Object.entries(described)) {
    options[name] = short === undefined ? { type, multiple } : { type, short, multiple }
  }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { ...sorted(values), positionals }
  } catch (error) {
    // Node's own sentence; what follows it is advice on quoting.
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(
      /\.\s|\n/,
    )
    throw usageError(`${sentence.replace(/\.$/, '')}.${hint}`)
  }
}

/** What may be given once, and what more often. */
function sorted(given: Readonly<Record<string, unknown>>) {
  const values: Record<string, string | boolean | undefined> = {}
  const lists: Record<string, readonly string[]> = {}
  for (const [name, value] of Object.entries(given)) {
    if (Array.isArray(value)) lists[name] = value.map(String)
    else if (typeof value === 'string' || typeof value === 'boolean') values[name] = value
  }
  return { values, lists }
}

function checkPositionals(command: Command, positionals: readonly string[]): void {
  const { name, arguments: described, maxArguments = 1 } = command
  const max = described === undefined ? 0 : maxArguments
  const least = described?.startsWith('[') === false ? 1 : 0
  if (positionals.length < least) {
    throw usageError(
      `\`tondesk ${name}\` needs ${described ?? ''}. See \`tondesk ${name} --help\`.`,
    )
  }
  const extra = positionals[max]
  if (extra !== undefined) {
    throw usageError(
      `"${extra}" is too much for \`tondesk ${name}\`. See \`tondesk ${name} --help\`.`,
    )
  }
}
