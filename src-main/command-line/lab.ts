import { type CommandBody, exitCodes } from './command.ts'
import { flag, text } from './options.ts'
import { labFlags, labOptions, runLabCommand } from '../sandbox/lab/commands.ts'

const options = {
  ...Object.fromEntries(
    Object.entries(labOptions).map(([name, [value = '', about = '']]) => [
      name,
      text(value, about),
    ]),
  ),
  ...Object.fromEntries(Object.entries(labFlags).map(([name, about]) => [name, flag(about)])),
}

/** The same commands as those of the package `tondesk-sandbox`. */
export const labCommand = (name: 'test' | 'lab'): CommandBody => ({
  options,
  detail: [
    'The lab starts its own sandbox and attacks the handler at --target, on this computer only: docs/lab.md.\nIt needs no data directory, keys or money.',
  ],
  exits: {
    [exitCodes.failed]: 'something was found',
    [exitCodes.held]: 'the run or a scenario failed, or nothing was tested',
  },
  async run({ options: typed, positionals, terminal, stop }) {
    const args = Object.entries(typed).flatMap(([option, value]) => {
      if (value === undefined || value === false) return []
      return value === true ? [`--${option}`] : [`--${option}=${value}`]
    })
    return await runLabCommand([name, ...args, ...positionals], {
      print: (line) => terminal.print(line),
      note: (line) => terminal.note(line),
      signal: stop,
    })
  },
})
