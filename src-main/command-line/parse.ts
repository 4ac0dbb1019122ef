import { parseArgs } from 'node:util'
import {
  type Command,
  type CommandOptions,
  type Invocation,
  type LazyCommand,
  assertUsage,
  usageError,
} from './command.ts'

export const globalOptions: CommandOptions = {
  'data-dir': {
    type: 'string',
    value: 'FOLDER',
    description: 'data directory (or TONDESK_DATA_DIR)',
  },
  help: { type: 'boolean', description: 'show this help' },
}

type Parsed =
  | { readonly kind: 'help'; readonly command: Command | null }
  | { readonly kind: 'version' }
  | ({
      readonly kind: 'run'
      readonly command: Command
      readonly dataDirectory: string | undefined
    } & Pick<Invocation, 'options' | 'lists' | 'positionals'>)

/** `--data-dir` may stand before or after the command. @throws AppError USAGE */
export async function parseCommandLine(
  argv: readonly string[],
  commands: readonly LazyCommand[],
): Promise<Parsed> {
  const rest = [...argv]
  const before: string[] = []
  while (rest[0]?.startsWith('-')) {
    const option = rest.shift() ?? ''
    before.push(option)
    if (option === '--data-dir' && rest.length > 0) before.push(rest.shift() ?? '')
  }
  const version = { version: { type: 'boolean', short: 'v', description: '' } } as const
  const own = parse(before, version, '').options
  const [name, ...args] = rest
  if (own['version'] === true) return { kind: 'version' }
  if (name === undefined) return { kind: 'help', command: null }
  if (name === 'help') {
    return { kind: 'help', command: args[0] === undefined ? null : await find(args[0], commands) }
  }
  const command = await find(name, commands)
  const { options: all, ...parsed } = parse(args, command.options, `${name} `)
  const { 'data-dir': after, help, ...options } = all
  if (own['help'] === true || help === true) return { kind: 'help', command }
  checkPositionals(command, parsed.positionals)
  const dataDirectory = after ?? own['data-dir']
  assertUsage(dataDirectory !== '', '--data-dir needs a folder.')
  return {
    kind: 'run',
    command,
    options,
    ...parsed,
    dataDirectory: typeof dataDirectory === 'string' ? dataDirectory : undefined,
  }
}

async function find(name: string, commands: readonly LazyCommand[]): Promise<Command> {
  const command = commands.find((each) => each.name === name)
  if (command) return { ...command, ...(await command.load()) }
  throw usageError(`Unknown command "${name}". See \`tondesk --help\`.`)
}

function parse(args: string[], described: CommandOptions, helpOf: string) {
  const options = { ...described, ...globalOptions, help: { type: 'boolean', short: 'h' } as const }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const given = Object.entries<unknown>(values)
    const once = given.filter(([, value]) => !Array.isArray(value))
    return {
      options: Object.fromEntries(once) as Invocation['options'],
      lists: Object.fromEntries(
        given.filter(([, value]) => Array.isArray(value)),
      ) as Invocation['lists'],
      positionals,
    }
  } catch (error) {
    // The first sentence of Node's message; the rest is advice on quoting.
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(
      /\.\s|\n/,
    )
    throw usageError(`${sentence.replace(/\.$/, '')}. See \`tondesk ${helpOf}--help\`.`)
  }
}

function checkPositionals(command: Command, positionals: readonly string[]): void {
  const { name, arguments: described, maxArguments = 1 } = command
  const help = `See \`tondesk ${name} --help\`.`
  const min = described?.startsWith('[') === false ? 1 : 0
  const needs = `\`tondesk ${name}\` needs ${described ?? ''}. ${help}`
  assertUsage(positionals.length >= min, needs)
  const extra = positionals[described === undefined ? 0 : maxArguments]
  assertUsage(
    extra === undefined,
    `"${extra ?? ''}" is an extra argument of \`tondesk ${name}\`. ${help}`,
  )
}

const exits: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'failed; standard error has the reason',
  2: 'invalid command line',
  3: 'another process uses the data directory, and the command cannot run in it',
  130: 'stopped by a second Ctrl-C; open work was not finished',
}

export function generalHelp(commands: readonly LazyCommand[]): string {
  const rows = commands.map(({ name, arguments: args, summary }) => [
    args === undefined ? name : `${name} ${args}`,
    summary,
  ])
  return `Tondesk: desktop console for a TON blockchain gateway

Usage: tondesk <command> [options]

Commands:
${table([...rows, ['help [COMMAND]', 'show this help, or the help of a command']])}

Options:
${table([...optionRows(globalOptions), ['--version', 'print the version']])}

Commands also work while the app is running: they use its process if the data directory is the same.
Set TONDESK_DEBUG=1 to print the details of a failure.

Exit codes:
${table(Object.entries(exits))}`
}

export function commandHelp(command: Command): string {
  const usage = ['tondesk', command.name, command.arguments, '[options]']
  return `${command.summary[0]?.toUpperCase() ?? ''}${command.summary.slice(1)}

Usage: ${usage.filter((part) => part !== undefined).join(' ')}

${command.detail.map((paragraph) => `${paragraph}\n\n`).join('')}Options:
${table(optionRows({ ...command.options, ...globalOptions }))}

Exit codes:
${table(Object.entries({ ...exits, ...command.exits }))}`
}

const optionRows = (options: CommandOptions): string[][] =>
  Object.entries(options).map(([name, { value, short, description }]) => {
    const long = short === undefined ? `--${name}` : `-${short}, --${name}`
    return [value === undefined ? long : `${long} ${value}`, description]
  })

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length))
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
