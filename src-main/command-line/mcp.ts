import { readFileSync } from 'node:fs'
import { targetUrl } from '../../src-preload/contract/target.ts'
import { type CommandBody, exitCodes } from './command.ts'
import * as read from './options.ts'
import { readField } from './schema-options.ts'

export const mcpCommand: CommandBody = {
  options: {
    'allow-write': read.flag('also offer the tools that act on the sandbox and replay captures'),
    'replay-to': {
      ...read.text('URL', 'a handler on this computer to which replays are allowed; repeatable'),
      multiple: true,
    },
    skill: read.flag('print the skill file for agents, and exit'),
  },
  detail: [
    'Serves tools of the Model Context Protocol over standard input and output: captures, deliveries, missed\nevents, transactions, accounts, invoices, incidents, and requests to the sandbox. An agent’s client starts this\ncommand; its page in the documentation has the configuration for the usual clients.',
    'By default the tools only read. With --allow-write an agent can also pay, send, move the clock, revert\nand set faults on the sandbox, and replay captures to targets of enabled forwarding rules and of --replay-to,\nif they are on this computer. No tool sends to a real network, reads a key, or changes settings or rules.',
    'Each call uses the running app, or opens the data directory for this call if no app is running.',
  ],
  async run({ dataDirectory, lists, options, terminal, stop }) {
    if (options['skill'] === true) {
      await terminal.print(readFileSync(skillFile(), 'utf8').trimEnd())
      return exitCodes.ok
    }
    const typed = lists['replay-to'] ?? []
    const replayTargets = typed.map((url) => readField(targetUrl, url, 'replay-to'))
    // The protocol's library is loaded on demand: no other command needs it.
    const { serveMcp } = await import('./mcp/server.ts')
    const allowWrite = options['allow-write'] === true
    await serveMcp({ dataDirectory, allowWrite, replayTargets, stop })
    return exitCodes.ok
  },
}

/** The build copies the file beside the bundle. */
function skillFile(): URL {
  const path = import.meta.url.endsWith('.ts') ? '../../docs/skill/SKILL.md' : './skill/SKILL.md'
  return new URL(path, import.meta.url)
}
