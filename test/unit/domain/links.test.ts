import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  type Handed,
  beforeLink,
  parseDesktopArguments,
  parseHanded,
} from '../../../src-main/desktop/arguments.ts'
import { incidentHash } from '../../../src-preload/domain/incident-links.ts'
import { linkOf, parseLink } from '../../../src-preload/domain/links.ts'
import { emptyFilter } from '../../../src-renderer/app/chain-route.ts'
import { linkToRoute } from '../../../src-renderer/app/frame/page-link.ts'
import { everyInvoice } from '../../../src-renderer/app/invoices-route.ts'
import { type Route, emptyQuery, parseRoute, routeHref } from '../../../src-renderer/app/route.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

const raw = `0:${'a1'.repeat(32)}`
const network = 'testnet'
const account = { page: 'explorer', network, view: 'account', address: raw } as const
const failures = { page: 'webhooks', network, view: 'webhook', id: '9223372036854775807' } as const

/** There is an object of each kind. A page without an entry here does not compile. */
const objects: { readonly [P in Route['page']]: readonly Route[] } = {
  overview: [{ page: 'overview' }],
  setup: [{ page: 'setup', network, step: 'tunnel' }],
  captures: [
    { page: 'captures', captureId: 7, query: emptyQuery },
    { page: 'captures', captureId: null, query: { text: 'body:"ü 100%" amount:>1 a/b?c=d&e #f' } },
  ],
  delivery: [
    { page: 'delivery', view: 'forwarding', rule: 2 },
    { page: 'delivery', view: 'replays', job: 3 },
    { page: 'delivery', view: 'responses' },
    { page: 'delivery', view: 'tunnels' },
    { page: 'delivery', view: 'compare', left: 'capture-1', right: 'replay-2-0' },
  ],
  explorer: [
    { page: 'explorer', network, view: 'tx', hash: 'ab'.repeat(32) },
    { page: 'explorer', network, view: 'block', id: '(-1,8000000000000000,123)' },
    { page: 'explorer', network, view: 'build', isSigned: false },
    { page: 'explorer', network, view: 'build', isSigned: true },
    { page: 'explorer', network, view: 'blocks' },
    { page: 'explorer', network, view: 'watched' },
    { page: 'explorer', network, view: 'exports', id: 4 },
    { ...account, filter: emptyFilter },
    { ...account, filter: { direction: 'in', asset: 'TON', opcode: '0x0f8a7ea5', from: 1, to: 2 } },
    { ...account, address: `EQ${'a+/_-9'.repeat(7)}abcd`, filter: emptyFilter },
  ],
  lookups: [
    { page: 'lookups', network, view: 'job', id: 12 },
    { page: 'lookups', network, view: 'labels' },
  ],
  webhooks: [
    { page: 'webhooks', network, view: 'home' },
    { page: 'webhooks', network, view: 'file' },
    { ...failures, tab: 'overview', item: '', range: '24h' },
    { ...failures, tab: 'accounts', item: raw, range: '24h' },
    { ...failures, tab: 'deliveries', item: raw, range: '7d' },
    { ...failures, tab: 'missed', item: '4', range: '24h' },
    { ...failures, tab: 'changes', item: '5', range: '24h' },
  ],
  invoices: [
    { page: 'invoices', network, view: 'list', id: 'inv_01-9.x:z', query: everyInvoice },
    {
      page: 'invoices',
      network,
      view: 'list',
      id: null,
      query: {
        text: 'order 7',
        statuses: ['pending', 'paid-late'],
        currencies: ['TON', 'USDT'],
        period: { by: 'created', from: 1, to: null },
        amountFrom: '1.5',
        amountTo: '20',
        overpaid: true,
        matter: 'any',
        paidWithin: { from: 0, to: 60 },
        sort: { by: 'amount', descending: true },
      },
    },
    { page: 'invoices', network, view: 'attention', matter: 3 },
    { page: 'invoices', network, view: 'jobs', job: 4 },
    { page: 'invoices', network, view: 'payments' },
    { page: 'invoices', network, view: 'reconciliation' },
    { page: 'invoices', network, view: 'issue', draft: null },
    { page: 'invoices', network, view: 'setup' },
  ],
  sandbox: [{ page: 'sandbox', network: 'testnet', tab: 'control' }],
  jobs: [{ page: 'jobs' }],
  unknown: [],
  settings: [
    { page: 'settings', section: null },
    { page: 'settings', section: 'receiver' },
  ],
}
const routes = Object.values(objects).flat()

describe('links of the window', () => {
  test.each(routes.map((route) => [routeHref(route), route] as const))(
    'the link to %s opens the same object',
    (hash, route) => {
      const link = linkToRoute(route, 'mainnet')
      expect(link).toMatch(/^tondesk:\/\/[a-z]/)
      const opened = parseLink(link ?? '')
      expect(opened && parseRoute(opened)).toEqual(parseRoute(hash))
    },
  )

  test('a link to a page without a network carries the selected network', () => {
    const route: Route = { page: 'explorer', network: null, view: 'build', isSigned: false }
    expect(linkToRoute(route, 'mainnet')).toBe('tondesk://explorer/build?network=mainnet')
  })

  test('a link to a form leads to the page around the form, so that a link fills in nothing', () => {
    expect(linkOf('#/webhooks/7/accounts/add?network=testnet')).toBe(
      'tondesk://webhooks/7/accounts?network=testnet',
    )
    expect(linkOf('#/nowhere')).toBeNull()
  })

  test.each([
    'webhook:7',
    'target:3',
    'tunnel',
    'invoices',
    'reports',
    'disk',
    'receiver',
    'other',
  ])('a link from an incident about %s leads to its cause', (subject) => {
    const hash = incidentHash({ network: 'testnet', subject })
    expect(parseLink(linkOf(hash) ?? '')).toBe(hash)
  })

  test('a link is parsed in the forms of browsers: any case of the scheme, and a trailing slash', () =>
    expect(parseLink('TONDESK://settings/receiver/')).toBe('#/settings/receiver'))
})

const hostileByHand = [
  '',
  'tondesk:',
  'tondesk:/settings',
  'tondesk:///settings',
  'tondesk://',
  'tondesk://?network=testnet',
  ' tondesk://settings',
  'tondesk://settings\n',
  'tondesk://settings\u0000',
  'tondesk://settings\u202e',
  'tondesk://settings%00',
  'tondesk://settings%',
  'tondesk://settings%zz',
  'tondesk://Settings',
  'tondesk://settings//receiver',
  'tondesk://settings/../overview',
  'tondesk://settings/%2e%2e/overview',
  'tondesk://settings/..%2foverview',
  'tondesk://settings\\receiver',
  'tondesk://settings#/webhooks',
  'tondesk://settings?',
  'tondesk://settings?section=receiver',
  'tondesk://settings:80',
  'tondesk://settings@evil.test',
  'tondesk://user:password@settings',
  'tondesk://user@settings/receiver',
  'tondesk://evil.test/settings',
  'tondesk://localhost/settings',
  'tondesk://127.0.0.1/settings',
  'tondesk://settings/receiver/token',
  'tondesk://settings/receiver?port=1',
  'tondesk://network/select/testnet',
  'tondesk://network.select?id=testnet',
  'tondesk://request/network.select',
  'tondesk://app.restart',
  'tondesk://overview?network=testnet&network=mainnet',
  'tondesk://overview/setup?network=moon',
  'tondesk://overview/setup?network=custom-xyz',
  'tondesk://overview/setup?key=secret',
  'tondesk://inspector/0',
  'tondesk://inspector/-1',
  'tondesk://inspector/1e3',
  'tondesk://inspector/0x10',
  'tondesk://inspector/9999999999999999',
  'tondesk://inspector/1/delete',
  'tondesk://inspector/1?q=a&q=b',
  'tondesk://inspector?q=',
  'tondesk://inspector?q',
  'tondesk://inspector?q=a=b',
  'tondesk://inspector?q=%E2%80%AE',
  'tondesk://inspector?q=a%0Ab',
  'tondesk://inspector?q=%E0%A4%A',
  `tondesk://inspector?q=${'a'.repeat(1001)}`,
  `tondesk://inspector?q=${'%61'.repeat(900)}`,
  'tondesk://inspector?Q=a',
  'tondesk://inspector?__proto__=a',
  'tondesk://inspector?constructor=a',
  'tondesk://inspector/forwarding/new',
  'tondesk://inspector/replays/3/start',
  'tondesk://inspector/compare?left=%3Cscript%3E',
  'tondesk://__proto__',
  'tondesk://constructor/prototype',
  'tondesk://transactions/tx/abc',
  'tondesk://transactions/tx/javascript:alert(1)',
  'tondesk://transactions/account/example.ton',
  'tondesk://transactions/block/1',
  'tondesk://explorer/tx/abc',
  'tondesk://explorer/exports/x',
  'tondesk://transactions/send?boc=te6cc',
  'tondesk://transactions/send/te6cc',
  'tondesk://accounts/new?list=EQ',
  'tondesk://accounts/job/1/remove',
  'tondesk://webhooks/create?endpoint=https://evil.test',
  'tondesk://webhooks/7/accounts/add',
  'tondesk://webhooks/7/accounts/add?account=EQ',
  'tondesk://webhooks/7/delete',
  'tondesk://webhooks/-7',
  'tondesk://webhooks/99999999999999999999',
  'tondesk://webhooks/7/failures?range=9999d',
  'tondesk://invoices/new?amount=5',
  'tondesk://invoices/issue?amount=5',
  'tondesk://invoices/of/a%2Fb',
  'tondesk://invoices/of/%3Cimg%20src=x%3E',
  'tondesk://invoices?min=1e9',
  'tondesk://invoices?sort=amount;drop',
  'tondesk://sandbox?network=mainnet&act=pay',
  'tondesk://sandbox/Faults',
  'tondesk.evil://settings',
  'tondeskx://settings',
  'xtondesk://settings',
  'http://settings',
  'https://tondesk/settings',
  'app://tondesk/#/settings',
  'file:///settings',
  'javascript:tondesk://settings',
  'data:text/html,tondesk://settings',
  'tondesk://javascript:alert(1)',
  'tondesk://settings/javascript:alert(1)',
  'tondesk://start=0123456789abcdef0123',
  'tondesk://#start=0123456789abcdef0123',
  `tondesk://settings/${'a'.repeat(3000)}`,
]

/** Each of these inside a link makes it another link, or an invalid one. */
const insertions = [
  ...['@evil.test', ':80', '\\', '#', '%00', '%0a', '%zz', '%2f..%2f', '/../', '<', '>', '"', "'"],
  ...[' ', '\t', '\n', '\u0000', '\u202e', '\u200b', '%E2%80%AE', '?', '&', ';', '|', '$(id)'],
  ...['`', '*', '{', '}', '^', '~~', '//', '%25', '\u00fc'],
]
const targets = [
  'tondesk://settings/receiver',
  'tondesk://inspector/12',
  'tondesk://webhooks/7/failures?network=mainnet',
  `tondesk://transactions/tx/${'ab'.repeat(32)}?network=testnet`,
  'tondesk://accounts/job/5?network=sandbox',
]

/** @returns `count` links that were valid until a text was inserted at a random position */
function spoiledLinks(count: number): string[] {
  const random = seededRandom(22)
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T
  return Array.from({ length: count }, () => {
    const link = pick(targets)
    const at = Math.floor(random() * (link.length + 1))
    return link.slice(0, at) + pick(insertions) + link.slice(at)
  })
}

const hostileNames = [
  '--data-dir=/tmp/x.har',
  '--remote-debugging-port=1.har',
  '-x.har',
  'file://evil.test/share/x.har',
  'file:////evil.test/share/x.har%00',
  'file:///%00.har',
  'file:///x%2f..%2fy.har',
  'file:x.har',
  'https://evil.test/x.har',
  'smb://evil.test/x.har',
  'javascript:alert(1)//x.har',
  'data:,x.har',
  'x.har.exe',
  'x.har ',
  'x.har\n',
  'x.har\u202e',
  'x.har:stream',
  'x.exe',
  '.har',
  'har',
  '',
  '/',
  '.',
  'out/main/main.js',
]

/** Returns names with a foreign extension that look like a file of Tondesk. */
function spoiledNames(count: number): string[] {
  const random = seededRandom(23)
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T
  const disguises = [
    '.har',
    '.yaml',
    '.jsonl ',
    '\u202erah.',
    '\n.har\n',
    '/../x.har/',
    '%2ehar',
    '',
  ]
  return Array.from(
    { length: count },
    () =>
      `${pick(['x', '../x', '/etc/passwd', '~', '$HOME'])}${pick(disguises)}${pick(['.exe', '.js', '.desktop', '.lnk', '~'])}`,
  )
}

describe('hostile links and file names', () => {
  const links = [...hostileByHand, ...spoiledLinks(360)]
  const names = [...hostileNames, ...spoiledNames(100)]

  test('the hostile links and names are at least 500 different ones', () =>
    expect(new Set([...links, ...names]).size).toBeGreaterThanOrEqual(500))

  test('every hostile link is refused', () =>
    expect(links.filter((link) => parseLink(link) !== null)).toEqual([]))

  test('no hostile name is opened as a file', () =>
    expect(names.filter((name) => parseHanded([name], '/home/me').length > 0)).toEqual([]))
})

describe('links and files on the command line', () => {
  test('the arguments after a link on the command line are ignored as options and as files', () => {
    const args = ['app.js', '--no-open', 'tondesk://x"', '--data-dir=/evil', '/evil.har']
    expect(parseHanded(args, '/')).toEqual([{ kind: 'link', link: 'tondesk://x"' }])
    expect(parseDesktopArguments(args)).toMatchObject({
      opensWindow: false,
      dataDirectory: undefined,
    })
  })

  test('a restart after a crash has the options of the former start, but not its link', () => {
    const args = ['--no-open', '--', 'tondesk://settings', 'rest']
    expect([...beforeLink(args), '--after-crash']).toEqual(['--no-open', '--after-crash'])
    expect(parseDesktopArguments(args).opensWindow).toBe(false)
  })

  test('a file on the command line may be an absolute path, a relative path or a file URL', () => {
    const path = resolve('/home/me/päth with spaces.HAR')
    const file: Handed = { kind: 'file', path }
    expect(parseHanded(['--x', path, pathToFileURL(path).href], '/')).toEqual([file, file])
    expect(parseHanded(['päth with spaces.HAR'], resolve('/home/me'))).toEqual([file])
  })

  test('at most ten files are opened at once', () =>
    expect(parseHanded(Array<string>(1000).fill('/x.har'), '/')).toHaveLength(10))
})
