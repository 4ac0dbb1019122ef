import type { Network } from '../../src-preload/contract/network.ts'
import { type CommandBody, type Invocation, exitCodes, usageError } from './command.ts'
import * as read from './options.ts'
import { type Session, findNetwork, withSession } from './session.ts'
import { plain, printEvent } from './terminal.ts'

export const networks: CommandBody = {
  options: {
    invoices: read.flag('set-key: the token of invoices, not the API key'),
    json: read.jsonOption,
  },
  detail: [
    'An ACTION is list (when none is given), test NETWORK or set-key NETWORK. A NETWORK is sandbox,\ntestnet, mainnet, or the name or id of one that was added in the settings.',
    'set-key reads the key from standard input, for any program can read the arguments of another:\n  tondesk networks set-key mainnet < key.txt\nIn a terminal it asks, and does not show what is typed. The key goes into the system keychain and\nis never printed.',
    'test asks each address of the network one harmless question, and ends with 1 when one of them\ndoes not do what it is for.',
  ],
  async run(invocation) {
    const [action = 'list', wanted] = invocation.positionals
    const work = actions[action]
    if (work === undefined) {
      throw usageError(`\`tondesk networks\` knows list, test and set-key, not "${action}".`)
    }
    if (work !== list && wanted === undefined) {
      throw usageError(`\`tondesk networks ${action}\` needs a NETWORK, such as mainnet.`)
    }
    const { dataDirectory } = invocation
    return withSession(invocation, { receive: false }, async (session) => {
      await printEvent(invocation, { event: 'ready', dataDirectory })
      // Our own app has just started and has no result from the keychain yet.
      if (session.holder === null) await session.call('secrets.retryKeychain')
      return work(invocation, session, wanted ?? '')
    })
  },
}

type Action = (invocation: Invocation, session: Session, wanted: string) => Promise<number>

const list: Action = async (invocation, session) => {
  const { current, networks: all } = await session.call('network.list')
  for (const network of all) {
    const isCurrent = network.id === current
    const line = `${isCurrent ? '*' : ' '} ${describe(network)}`
    await printEvent(invocation, { event: 'network', ...network, current: isCurrent }, line)
  }
  return exitCodes.ok
}

function describe({ id, name, urls, secrets, problem }: Network): string {
  const kept = [
    ['key', secrets.api],
    ['invoices', secrets.invoices],
  ] as const
  const words = kept.flatMap(([what, secret]) =>
    secret === null
      ? []
      : [
          `${what} …${secret.hint}${secret.present ? '' : secret.givenFor === undefined ? ' (lost)' : ' (not sent: the addresses changed)'}`,
        ],
  )
  return [id.padEnd(15), plain(name), urls?.query ?? problem ?? '', words.join(', ')]
    .filter((part) => part !== '')
    .join('  ')
}

const test: Action = async (invocation, session, wanted) => {
  const { id } = await findNetwork(session, wanted)
  const checks = await session.call('network.test', { id })
  for (const check of checks) {
    const line = `${check.root.padEnd(8)}  ${check.outcome.padEnd(13)}  ${plain(check.message)}`
    await printEvent(invocation, { event: 'check', ...check }, line)
  }
  const isGood = checks.every(({ outcome }) => ['ok', 'no-key', 'absent'].includes(outcome))
  return isGood ? exitCodes.ok : exitCodes.failed
}

const setKey: Action = async (invocation, session, wanted) => {
  const { options, terminal } = invocation
  const { id, name } = await findNetwork(session, wanted)
  const slot = options['invoices'] === true ? 'invoices' : 'api'
  const what = slot === 'api' ? 'API key' : 'invoices token'
  const secret = await terminal.readSecret(`The ${what} for ${plain(name)}`)
  const changed = await session.call('network.setSecret', { id, slot, secret })
  const hint = changed.secrets[slot]?.hint ?? ''
  await printEvent(invocation, { event: 'kept', network: id, slot, hint })
  if (options['json'] !== true)
    terminal.note(`The ${what} for ${plain(name)} is kept: it ends in ${hint}.`)
  return exitCodes.ok
}

const actions: Readonly<Partial<Record<string, Action>>> = { list, test, 'set-key': setKey }
