import type { Network, NetworkUrls } from '../../src-preload/contract/network.ts'

/** The service's own networks (gateway-facts 1 to 3). Invoices are to be had on the main network only. */
type Preset = Pick<Network, 'name' | 'testOnly' | 'explorer'> & {
  readonly id: 'mainnet' | 'testnet'
  readonly urls: NetworkUrls
}

export const presets: readonly Preset[] = [
  {
    id: 'testnet',
    name: 'Testnet',
    urls: {
      query: 'https://testnet.tonapi.io',
      webhooks: 'https://rt-testnet.tonapi.io',
      testnetWebhooks: null,
      console: null,
    },
    testOnly: true,
    explorer: {
      transaction: 'https://testnet.tonviewer.com/transaction/{hash}',
      address: 'https://testnet.tonviewer.com/{address}',
    },
  },
  {
    id: 'mainnet',
    name: 'Mainnet',
    urls: {
      query: 'https://tonapi.io',
      webhooks: 'https://rt.tonapi.io',
      testnetWebhooks: 'https://rt-testnet.tonapi.io',
      console: 'https://tonconsole.com',
    },
    testOnly: false,
    explorer: {
      transaction: 'https://tonviewer.com/transaction/{hash}',
      address: 'https://tonviewer.com/{address}',
    },
  },
]
