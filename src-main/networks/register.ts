import { type NetworkId, networkId } from '../../src-preload/contract/network.ts'
import { coinOf, showCoinAs } from '../../src-preload/domain/amount.ts'
import type { AppContext, BaseContext, ForgetNetwork } from '../app/context.ts'
import { type OwnAddresses, ownAddressProblem } from '../app/self-addresses.ts'
import { gatewayAddressProblem } from '../net/address.ts'
import { createAccountNames } from '../chain/store/chain.ts'
import { createHttp } from '../gateway/http.ts'
import { createNetworkSecrets } from '../secrets/network-secrets.ts'
import type { RegisteredSecrets } from '../secrets/register.ts'
import { sandboxEntry } from '../threads/threads.ts'
import { formatFriendly, readAddress } from '../ton/address.ts'
import { type Networks, createNetworks } from './networks.ts'
import { originsOf } from './endpoint.ts'
import { forkProcess } from './sandbox-process.ts'
import { createSandboxNetwork } from './sandbox.ts'
import {
  createCustomNetworks,
  createNetworkSecretRecords,
  createWithheldKeys,
} from './store/networks.ts'

type Part = Parameters<AppContext['onForget']>[0]

export function registerNetworks(
  base: BaseContext,
  receiver: AppContext['receiver'],
  { secrets, webhookTokens, onReload }: RegisteredSecrets,
) {
  const { config, database, events, log, now, paths, resources, settings, values } = base
  const forgets: Record<Part, ForgetNetwork[]> = { chain: [], webhooks: [], invoices: [] }
  async function forget(part: Part, network: NetworkId): Promise<void> {
    for (const each of forgets[part]) await each(network)
  }

  let windowPort: number | null = null
  events.on('window.served', ({ port }) => {
    windowPort = port
  })
  const portOf = (url: string) => Number(URL.parse(url)?.port ?? 0)
  const ownPorts = () => [
    { port: portOf(receiver.url()), whose: 'the receiver' },
    { port: windowPort ?? 0, whose: 'the window' },
  ]
  const http = createHttp({
    proxyFor: base.proxyFor,
    addressProblem: gatewayAddressProblem,
    onTraffic: () => events.emit('traffic.changed', {}),
    onGram(network) {
      const { gramNetworks } = settings.get().appearance
      if (network === 'sandbox' || gramNetworks.includes(network)) return
      void settings.change({ appearance: { gramNetworks: [...gramNetworks, network] } })
    },
  })
  resources.use(http)
  const accountNames = createAccountNames(database)
  const sandboxPort = () => config.sandboxPort ?? settings.get().sandbox.port
  const sandbox = createSandboxNetwork({
    entry: sandboxEntry,
    startProcess: config.startProcess ?? forkProcess,
    dataDirectory: paths.sandbox,
    port: sandboxPort,
    allowHosts: () => settings.get().sandbox.allowHosts,
    http,
    receiver: () => ({ url: receiver.url(), isListening: receiver.state().url !== null }),
    onTokens: (known) => webhookTokens.setSandboxTokens(known),
    onWallets: (wallets) => accountNames.put('sandbox', wallets),
    async onReplaced() {
      await forget('chain', 'sandbox')
      await forget('webhooks', 'sandbox')
      await forget('invoices', 'sandbox')
    },
    onChanged(state) {
      events.emit('sandbox.changed', state)
      networks.sandboxChanged()
    },
    writeClipboard: config.writeClipboard,
    log: (message, fields) => log.scope('sandbox').write('warn', message, fields),
  })
  resources.defer(() => sandbox.stop())
  /** The sandbox takes 200 to 350 MB of memory, so it starts only for users of the sandbox. */
  const startWhereWanted = () => {
    const isWanted = config.host !== 'cli' && settings.get().sandbox.startWithApp
    if (config.startSandbox ?? isWanted) sandbox.start()
  }
  settings.on(
    ({ sandbox: { port, allowHosts } }) => ({ port, allowHosts }),
    () => {
      if (sandbox.state().status !== 'stopped') void sandbox.restart()
    },
  )

  const custom = createCustomNetworks(database)
  const networkSecrets = createNetworkSecrets({
    secrets,
    records: createNetworkSecretRecords(database),
    originsOf(network, slot) {
      const found = custom.list().find(({ id }) => id === network)
      return found === undefined ? null : originsOf(slot, found.urls)
    },
    withheld: createWithheldKeys(database),
    now,
  })
  const networks = createNetworks({
    http,
    secrets: networkSecrets,
    custom,
    onSandboxChosen: startWhereWanted,
    // The sandbox is a gateway, so URLs with its ports are allowed.
    placeProblem: (url) => ownAddressProblem(url, ownPorts()),
    sandbox,
    memory: {
      current: () => values.get('network.current', networkId.nullable(), null),
      setCurrent: (id) => values.set('network.current', id),
    },
    now,
    forget,
    onChanged(state) {
      nameCoin()
      events.emit('network.changed', state)
    },
  })
  const nameCoin = () => showCoinAs(coinOf(settings.get().appearance, networks.access.current()))
  nameCoin()
  settings.on(({ appearance }) => appearance, nameCoin)
  onReload(() => networks.reloadSecrets())

  const context: AppContext = {
    ...base,
    receiver,
    networks,
    access: networks.access,
    async chainNow(network) {
      if (network !== 'sandbox') return now()
      return (await sandbox.handlers['sandbox.chain']({ network: 'mainnet' })).clock.now
    },
    ...createAccountNaming(base, networks, accountNames, sandbox),
    onForget: (part, each) => forgets[part].push(each),
  }
  return {
    context,
    networkSecrets,
    sandbox,
    handlers: { ...networks.handlers, ...sandbox.handlers, 'traffic.read': () => http.traffic() },
    traffic: () => http.traffic(),
    /**
     * Addresses where this app listens or is configured to listen; nothing is forwarded or replayed
     * to them.
     */
    ownPlaces: (): OwnAddresses => {
      const { publicUrl } = settings.get().receiver
      const urls = Object.values(sandbox.state().urls ?? {}).map(String)
      const ofSandbox = [...urls.map(portOf), sandboxPort()]
      const ports = [...ownPorts(), ...ofSandbox.map((port) => ({ port, whose: 'the sandbox' }))]
      return {
        ports: ports.filter(({ port }) => port > 0),
        publicUrls: publicUrl === null ? [] : [publicUrl],
      }
    },
    /** The sandbox is the selected network of a new installation, so it starts there. */
    start(): void {
      if (config.startSandbox === true || networks.access.current() === 'sandbox')
        startWhereWanted()
    },
  }
}

/**
 * Finds the name of an account: the user's label, a name from the context, a known name, or the
 * short address.
 */
function createAccountNaming(
  { labels }: Pick<BaseContext, 'labels'>,
  networks: Networks,
  accountNames: ReturnType<typeof createAccountNames>,
  sandbox: ReturnType<typeof createSandboxNetwork>,
): Pick<AppContext, 'nameAccount' | 'accountsNamed'> {
  return {
    nameAccount(network, { address, name = null, isWallet = false }) {
      const label = labels.namesOf(network, [address]).get(address)
      const named = accountNames.of(network, address)
      const shown = label ?? name ?? named?.name
      if (shown || readAddress(address)?.raw !== address) return shown ?? address
      const isContract = !(named?.isWallet ?? isWallet)
      const testOnly = networks
        .state()
        .networks.some((each) => each.id === network && each.testOnly)
      const friendly = formatFriendly(address, { bounceable: isContract, testOnly })
      return `${friendly.slice(0, 6)}…${friendly.slice(-4)}`
    },
    async accountsNamed(network) {
      const none = { wallets: [] }
      const { wallets } =
        network === 'sandbox'
          ? await Promise.resolve(sandbox.handlers['sandbox.chain']({ network: 'mainnet' })).catch(
              () => none,
            )
          : none
      return labels.accountsByName(network, wallets)
    },
  }
}
