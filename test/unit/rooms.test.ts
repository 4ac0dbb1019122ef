/** docs/architecture.md, "who may import whom", over every import there is. Lint says it sooner. */
import { globSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { expect, test } from 'vitest'
import { type Import, readImports } from '../fixtures/imports.ts'

const imports = readImports(['src-main', 'src-preload', 'src-renderer'])

/** What breaks a rule, in words that name the line to mend. */
function told(broken: readonly Import[]): string[] {
  return broken.map(({ from, to }) => `${from} imports ${to}`)
}

function of(folder: string): Import[] {
  return imports.filter(({ from }) => from.startsWith(folder))
}

function isPackage(name: string) {
  return ({ to, ours }: Import) => !ours && (to === name || to.startsWith(`${name}/`))
}

test('the imports are really read: an empty list would pass every rule', () => {
  expect(imports.length).toBeGreaterThan(300)
  expect(of('src-renderer/ui/').length).toBeGreaterThan(20)
  expect(imports.some(({ typeOnly }) => typeOnly)).toBe(true)
  expect(told(of('src-main/secrets/').filter(isPackage('keytar')))).toHaveLength(1)
})

test('the domain imports nothing, or it could not be shared by all', () => {
  const broken = of('src-preload/domain/').filter(({ to }) => !to.startsWith('src-preload/domain/'))
  expect(told(broken)).toEqual([])
})

test('the contract imports zod and the domain, or it could not be shared by all', () => {
  const broken = of('src-preload/contract/').filter(
    ({ to, ours }) => !(ours ? /^src-preload\/(contract|domain)\//.test(to) : to === 'zod'),
  )
  expect(told(broken)).toEqual([])
})

test('the preload takes electron and types: anything more would reach into the page', () => {
  const broken = of('src-preload/preload.ts').filter(({ to, typeOnly }) =>
    to === 'electron' ? false : !(typeOnly && /^src-preload\/(contract|domain)\//.test(to)),
  )
  expect(told(broken)).toEqual([])
})

test('the design system has no knowledge of the app', () => {
  const broken = of('src-renderer/ui/').filter(({ to, ours }) =>
    ours
      ? !/^src-renderer\/(ui|styles)\//.test(to)
      : !/^(react|react-dom|@base-ui\/react)($|\/)/.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('the window sees no main process, no Node and no Electron', () => {
  const broken = of('src-renderer/').filter(({ to, ours }) =>
    ours
      ? !/^(src-renderer|src-preload\/(contract|domain))\//.test(to)
      : /^(node:|electron($|\/)|(keytar|undici|hono|ws)($|\/))/.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('of the contract the window takes types, and what needs no zod', () => {
  const broken = of('src-renderer/').filter(({ to, typeOnly }) => isZodBearing(to) && !typeOnly)
  expect(told(broken)).toEqual([])
})

function isZodBearing(to: string): boolean {
  // The sentence about an invoice's money has types of the contract, and no zod.
  const bare = to === 'src-preload/contract/invoice-money.ts'
  return to === 'zod' || (to.startsWith('src-preload/contract/') && !bare)
}

test('electron is imported in its own homes only, so that all the rest runs in plain Node', () => {
  const homes = /^(src-preload\/preload\.ts|src-main\/(main\.ts|bridge\/electron\.ts|desktop\/.+))$/
  const broken = imports.filter((found) => isPackage('electron')(found) && !homes.test(found.from))
  expect(told(broken)).toEqual([])
})

test('SQL is in the stores only', () => {
  const broken = imports.filter(
    (found) =>
      found.to === 'node:sqlite' && !/^src-main\/(store|sandbox\/store)\//.test(found.from),
  )
  expect(told(broken)).toEqual([])
})

test('the HTTP client is where the app asks, where it sends on, and where the sandbox sends from', () => {
  const homes = /^src-main\/(gateway\/http\.ts|inspector\/send\/.+|sandbox\/deliver\/.+)$/
  const broken = imports.filter((found) => isPackage('undici')(found) && !homes.test(found.from))
  expect(told(broken)).toEqual([])
})

test('the keychain module is loaded in one file only', () => {
  const broken = imports.filter(
    (found) => isPackage('keytar')(found) && found.from !== 'src-main/secrets/keychain.ts',
  )
  expect(told(broken)).toEqual([])
})

test('the store knows the contract and no other room', () => {
  const broken = of('src-main/store/').filter(
    ({ to, ours }) => ours && !/^src-(main\/store|preload\/(contract|domain))\//.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('what is known of TON is pure', () => {
  const broken = of('src-main/ton/').filter(({ to, ours }) =>
    ours ? !to.startsWith('src-main/ton/') : !/^@ton\/core($|\/)/.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('the sandbox is a program of its own: the app reaches it over HTTP, it knows ton only', () => {
  const broken = of('src-main/sandbox/').filter(
    ({ to, ours }) => ours && !/^src-main\/(sandbox|ton)\//.test(to),
  )
  expect(told(broken)).toEqual([])
  const entrances = /^src-main\/(sandbox-process|command-line\/sandbox)\.ts$/
  const back = imports.filter(
    ({ from, to, ours }) =>
      ours &&
      to.startsWith('src-main/sandbox/') &&
      !from.startsWith('src-main/sandbox/') &&
      !entrances.test(from),
  )
  expect(told(back)).toEqual([])
})

test.each(['receiver', 'secrets'])(
  'the %s takes what it needs as arguments: of other rooms it knows types of the store at most',
  (room) => {
    const broken = of(`src-main/${room}/`).filter(({ to, ours, typeOnly }) => {
      if (!ours || to.startsWith(`src-main/${room}/`)) return false
      if (/^src-preload\/(contract|domain)\//.test(to)) return false
      return !(typeOnly && to.startsWith('src-main/store/'))
    })
    expect(told(broken)).toEqual([])
  },
)

test.each(['explorer', 'inspector', 'invoices', 'subscriptions'])(
  '%s takes what it needs as arguments: it knows ton, files, jobs, types of gateway, store and threads',
  (room) => {
    const known = new RegExp(`^src-(main/(${room}|ton|files|jobs)|preload/(contract|domain))/`)
    const broken = of(`src-main/${room}/`).filter(({ to, ours, typeOnly }) => {
      if (!ours || known.test(to)) return false
      return !(typeOnly && /^src-main\/((gateway|store)\/|[a-z]+-messages\.ts$)/.test(to))
    })
    expect(told(broken)).toEqual([])
  },
)

test.each(['files', 'jobs'])('%s is shared by rooms and knows none of them', (room) => {
  const known = new RegExp(`^src-(main/${room}|preload/(contract|domain))/`)
  const broken = of(`src-main/${room}/`).filter(({ to, ours, typeOnly }) => {
    if (!ours || known.test(to)) return false
    return !(typeOnly && to.startsWith('src-main/gateway/'))
  })
  expect(told(broken)).toEqual([])
})

test('a transport reaches the app through dispatch and events, never through a room', () => {
  const rooms = /^src-main\/(store|receiver|inspector|secrets|desktop|command-line)\//
  expect(told(of('src-main/bridge/').filter(({ to }) => rooms.test(to)))).toEqual([])
})

test('only compose and what composes parts of it, the workbench and threads among them, know several rooms', () => {
  const rooms = ['store', 'receiver', 'inspector', 'secrets']
  const files = Map.groupBy(of('src-main/'), ({ from }) => from)
  const knowing = [...files].filter(([from, list]) => {
    const own = from.split('/')[1] ?? ''
    const known = list
      .filter(({ ours, typeOnly }) => ours && !typeOnly)
      .map(({ to }) => to.split('/')[1] ?? '')
      .filter((room) => rooms.includes(room) && room !== own)
    return new Set(known).size > 1
  })
  expect(knowing.map(([from]) => from).sort()).toEqual([
    'src-main/compose-invoices.ts',
    'src-main/compose-subscriptions.ts',
    'src-main/compose.ts',
    'src-main/exchange-process.ts',
    'src-main/index-thread.ts',
    'src-main/send-thread.ts',
    'src-main/workbench.ts',
  ])
})

test('main takes nothing from the window, and nothing takes the preload', () => {
  const broken = imports.filter(
    ({ from, to }) =>
      (from.startsWith('src-main/') && to.startsWith('src-renderer/')) ||
      to === 'src-preload/preload.ts',
  )
  expect(told(broken)).toEqual([])
})

test('no circle anywhere, types included', () => {
  const next = Map.groupBy(
    imports.filter(({ ours }) => ours),
    ({ from }) => from,
  )
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) {
      circles.push([...path.slice(start), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  expect(circles).toEqual([])
})

/** Stories that still name parts of the window themselves. This list may only shrink. */
const storiesWithoutPageObjects = [
  'test/e2e/accessibility.spec.ts',
  'test/e2e/answers-tunnels.spec.ts',
  'test/e2e/arrival.spec.ts',
  'test/e2e/browser/session.spec.ts',
  'test/e2e/diagnostics.spec.ts',
  'test/e2e/exchange.spec.ts',
  'test/e2e/failures.spec.ts',
  'test/e2e/fidelity.spec.ts',
  'test/e2e/forwarding.spec.ts',
  'test/e2e/frame.spec.ts',
  'test/e2e/invoice-attention.spec.ts',
  'test/e2e/invoice-figures.spec.ts',
  'test/e2e/invoices.spec.ts',
  'test/e2e/issuing.spec.ts',
  'test/e2e/keeping.spec.ts',
  'test/e2e/lookup.spec.ts',
  'test/e2e/networks.spec.ts',
  'test/e2e/query.spec.ts',
  'test/e2e/reading.spec.ts',
  'test/e2e/sandbox.spec.ts',
  'test/e2e/settings.spec.ts',
  'test/e2e/stand-in/guards.spec.ts',
  'test/e2e/stand-in/life.spec.ts',
  'test/e2e/subscriptions.spec.ts',
  'test/e2e/transactions.spec.ts',
  'test/e2e/webhooks.spec.ts',
  'test/electron/electron.spec.ts',
]

test('a story reaches the window through test/e2e/pages, or a changed text would break many stories', () => {
  const stories = globSync('test/{e2e,electron}/**/*.spec.ts').map((file) =>
    file.replaceAll(sep, '/'),
  )
  expect(stories.length).toBeGreaterThan(20)
  const selector = /\b(getBy[A-Z]\w*|locator|frameLocator)\(/
  const broken = stories.filter((file) => selector.test(readFileSync(file, 'utf8')))
  expect(broken.toSorted()).toEqual(storiesWithoutPageObjects)
})
