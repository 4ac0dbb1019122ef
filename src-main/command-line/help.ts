import type { Command, CommandOption } from './command.ts'

export const globalOptions: Readonly<Record<string, CommandOption>> = {
  'data-dir': {
    type: 'string',
    value: 'FOLDER',
    description: 'where everything is kept (or TONDESK_DATA_DIR)',
  },
  help: { type: 'boolean', description: 'this text' },
}

const exits: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'failed; standard error says why',
  2: 'the command line was not understood',
  3: 'another process holds the data directory and cannot do this',
  130: 'ended by a second Ctrl-C, without draining',
}

function exitTable(special: Readonly<Record<number, string>> = {}): string {
  return `Exit codes:\n${table(Object.entries({ ...exits, ...special }))}`
}

export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, arguments: args, summary }) => [
    args === undefined ? name : `${name} ${args}`,
    summary,
  ])
  return `Tondesk: desktop console for a TON blockchain gateway

Usage: tondesk <command> [options]

Commands:
${table([...rows, ['help [COMMAND]', 'this text, or that of a command']])}

Options:
${table([...optionRows(globalOptions), ['--version', 'print the version']])}

A command works while the app runs: it speaks to the process that holds the data directory.
TONDESK_DEBUG=1 adds the details of a failure.

${exitTable()}`
}

export function commandHelp(command: Command): string {
  const usage = ['tondesk', command.name, command.arguments, '[options]']
  return `${command.summary[0]?.toUpperCase() ?? ''}${command.summary.slice(1)}

Usage: ${usage.filter((part) => part !== undefined).join(' ')}

${command.detail.map((paragraph) => `${paragraph}\n\n`).join('')}Options:
${table(optionRows({ ...command.options, ...globalOptions }))}

${exitTable(command.exits)}`
}

function optionRows(options: Readonly<Record<string, CommandOption>>): string[][] {
  return Object.entries(options).map(([name, { value, short, description }]) => {
    const long = short === undefined ? `--${name}` : `-${short}, --${name}`
    return [value === undefined ? long : `${long} ${value}`, description]
  })
}

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length))
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
