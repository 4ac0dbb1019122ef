import { basename } from 'node:path'
import type { Network } from '../../src-preload/contract/network.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { type Command, type Invocation, exitCodes } from './command.ts'
import { networkOption, onNetwork } from './network-session.ts'
import { saveExport } from './save-export.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'
import { applyFile, undoLast } from './webhooks-change.ts'
import { type AskedWebhooks, readOptions } from './webhooks-options.ts'
import { planFile } from './webhooks-plan.ts'

export const webhooks: Command = {
  name: 'webhooks',
  arguments: 'ACTION [FILE]',
  maxArguments: 2,
  summary: 'list webhooks, and make their subscriptions what a file wants',
  options: {
    network: networkOption,
    format: {
      type: 'string',
      value: 'yaml|csv',
      description: 'of the file (default: as its name ends, else yaml)',
    },
    output: { type: 'string', short: 'o', value: 'OUT', description: 'export to this file' },
    yes: { type: 'boolean', short: 'y', description: 'change without asking' },
    json: { type: 'boolean', description: 'print a JSON object a line' },
  },
  detail: [
    'An ACTION is one of\n  list          the webhooks of the network\n  export        their subscriptions, in the form that plan reads\n  plan FILE     what differs between the file and what is; changes nothing\n  apply FILE    subscribes and unsubscribes until nothing differs\n  undo          takes back what the last apply has changed',
    'FILE, or standard input for -, holds the wanted state of one or several webhooks as YAML or CSV.\nWebhooks that it does not name, and kinds of subscriptions it says nothing of, are left alone.',
    'apply and undo ask first, or take --yes; where nobody can be asked, --yes is needed. After\nCtrl-C, a kill or a failure the same command goes on.',
  ],
  exits: {
    3: 'plan: there are differences; apply and undo: done, but some was refused: see the app',
  },
  async run(invocation) {
    const asked = readOptions(invocation)
    const wayOn = 'The same command goes on.'
    return onNetwork(invocation, asked.network, wayOn, (session, network) =>
      act(session, network, asked, invocation),
    )
  },
}

async function act(
  session: Session,
  network: Network,
  asked: AskedWebhooks,
  invocation: Invocation,
): Promise<number> {
  switch (asked.action) {
    case 'list':
      return list(session, network, asked, invocation)
    case 'export':
      return exportAll(session, network, asked, invocation)
    case 'plan':
      return planFile(session, network, asked, invocation)
    case 'apply':
      return applyFile(session, network, asked, invocation)
    case 'undo':
      return undoLast(session, network, asked, invocation)
  }
}

async function list(
  session: Session,
  network: Network,
  { json }: AskedWebhooks,
  { terminal }: Invocation,
): Promise<number> {
  const { webhooks: all, problem } = await session.call('webhook.list', {
    network: network.id,
    fresh: true,
  })
  for (const webhook of all) {
    const line = json ? JSON.stringify({ event: 'webhook', ...webhook }) : describe(webhook)
    await terminal.print(line)
  }
  if (problem === null) return exitCodes.ok
  terminal.note(`As last read. ${problem}`)
  return exitCodes.failed
}

function describe({ id, status, endpoint, accounts, opcodes, ...rest }: Webhook): string {
  const { mempool, newContracts, failedAttempts } = rest
  const parts = [
    id.padEnd(6),
    (status ?? 'unknown').padEnd(9),
    plain(endpoint),
    accounts !== null && `${accounts} accounts`,
    opcodes !== null && opcodes > 0 && `${opcodes} opcodes`,
    mempool === true && 'mempool',
    newContracts === true && 'new contracts',
    failedAttempts !== null && failedAttempts > 0 && `${failedAttempts} failed attempts`,
  ]
  return parts.filter((part) => part !== false).join('  ')
}

async function exportAll(
  session: Session,
  network: Network,
  { format, output }: AskedWebhooks,
  { terminal }: Invocation,
): Promise<number> {
  const file = await session.call('subscription.export', { network: network.id, format })
  await saveExport(session, file, output, terminal)
  if (output !== null) terminal.note(`Written to ${basename(output)}.`)
  return exitCodes.ok
}
