import type { Network } from '../../src-preload/contract/network.ts'
import { type CommandBody, assertUsage, exitCodes } from './command.ts'
import { joinSentence } from './watch-job.ts'
import * as read from './options.ts'
import { type Run, findNetwork, withSession } from './session.ts'
import { sanitize, writeEvent } from './terminal.ts'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

export const networkCommands: CommandBody = {
  options: {
    invoices: read.flag('set-key: store the invoices API token instead of the API key'),
    json: read.jsonOption,
  },
  detail: [
    'An ACTION is list (the default), test NETWORK or set-key NETWORK. A NETWORK is sandbox,\ntestnet, mainnet, or the name or id of a custom network.',
    'set-key reads the key from standard input, because other programs can read command-line arguments:\n  tondesk networks set-key mainnet < key.txt\nIn a terminal, the command asks for the key and does not show what you type. The key is stored in the system keychain\nand never printed.',
    'test sends one read-only request to each URL of the network, and exits with 1 if one of them fails.',
  ],
  async run(invocation) {
    const [action = 'list', wanted] = invocation.positionals
    const work = actions[action]
    const message = `\`tondesk networks\` knows list, test and set-key, not "${action}".`
    assertUsage(work !== undefined, message)
    const isComplete = work === list || wanted !== undefined
    assertUsage(isComplete, `\`tondesk networks ${action}\` needs a NETWORK, such as mainnet.`)
    return withSession(invocation, async (run) => {
      const { session, dataDirectory } = run
      await writeEvent(run, { event: 'ready', dataDirectory })
      // The command's own app has just started and has not read the keychain yet.
      if (session.holder === null) await session.call('secrets.retryKeychain')
      return work(run, wanted ?? '')
    })
  },
}

type Action = (run: Run, wanted: string) => Promise<number>

const list: Action = async (run) => {
  const { current, networks: all } = await run.session.call('network.list')
  for (const network of all) {
    const isCurrent = network.id === current
    const line = `${isCurrent ? '*' : ' '} ${describe(network)}`
    await writeEvent(run, { event: 'network', ...network, current: isCurrent }, line)
  }
  return exitCodes.ok
}

function describe({ id, name, urls, secrets, problem }: Network): string {
  const describeKey = (what: string, secret: Network['secrets']['api']) => {
    if (secret === null) return null
    const why = secret.givenFor === undefined ? 'lost' : 'not sent: the addresses changed'
    return `${what} …${secret.hint}${secret.present ? '' : ` (${why})`}`
  }
  const keys = [describeKey('key', secrets.api), describeKey('invoices', secrets.invoices)]
  const url = urls?.query ?? problem
  return joinSentence([id.padEnd(15), sanitize(name), url, joinSentence(keys)], '  ')
}

const test: Action = async (run, wanted) => {
  const { id } = await findNetwork(run.session, wanted)
  const checks = await run.session.call('network.test', { id })
  for (const check of checks) {
    const line = `${check.root.padEnd(8)}  ${check.outcome.padEnd(13)}  ${sanitize(check.message)}`
    await writeEvent(run, { event: 'check', ...check }, line)
  }
  const isGood = checks.every(({ outcome }) => ['ok', 'no-key', 'absent'].includes(outcome))
  return isGood ? exitCodes.ok : exitCodes.failed
}

const setKey: Action = async (run, wanted) => {
  const { options, session, terminal } = run
  const { id, name } = await findNetwork(session, wanted)
  const slot = options['invoices'] === true ? 'invoices' : 'api'
  const what = slot === 'api' ? 'API key' : 'invoices API token'
  const secret = await terminal.readSecret(`The ${what} for ${sanitize(name)}`)
  const changed = await session.call('network.setSecret', { id, slot, secret })
  const hint = changed.secrets[slot]?.hint ?? ''
  await writeEvent(run, { event: 'kept', network: id, slot, hint })
  if (options['json'] !== true)
    terminal.note(`The ${what} for ${sanitize(name)} is stored. It ends in ${hint}.`)
  return exitCodes.ok
}

const actions: Readonly<Partial<Record<string, Action>>> = lookupTable({
  list,
  test,
  'set-key': setKey,
})
