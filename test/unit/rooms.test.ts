/**
 * docs/architecture.md, "who may import whom", over every import there is; lint reports most of it sooner.
 * Import cycles and code that nobody uses are found here only.
 */
import { globSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { expect, test } from 'vitest'
import { type Import, readModules } from '../fixtures/imports.ts'

const product = readModules(['src-{main,preload,renderer}/**/*.{ts,tsx}'])
const others = readModules(['{test,build}/**/*.{ts,tsx,mjs,cjs}', '*.config.{ts,mjs,js}'])
const imports = product.flatMap((module) => module.imports)
const allImports = [...imports, ...others.flatMap((module) => module.imports)]

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
    (found) => found.to === 'node:sqlite' && !/^src-main\/(database|.+\/store)\//.test(found.from),
  )
  expect(told(broken)).toEqual([])
})

test('the HTTP client is where the app asks, where it sends on, and where the sandbox sends from', () => {
  const homes = /^src-main\/(gateway\/http\.ts|delivery\/sender\/.+|sandbox\/deliver\/.+)$/
  const broken = imports.filter((found) => isPackage('undici')(found) && !homes.test(found.from))
  expect(told(broken)).toEqual([])
})

test('the keychain module is loaded in one file only', () => {
  const broken = imports.filter(
    (found) => isPackage('keytar')(found) && found.from !== 'src-main/secrets/keychain.ts',
  )
  expect(told(broken)).toEqual([])
})

test('what is known of TON is pure', () => {
  const broken = of('src-main/ton/').filter(({ to, ours }) =>
    ours ? !/^src-(main\/ton|preload\/domain)\//.test(to) : !/^@ton\/core($|\/)/.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('the sandbox is a program of its own: the app reaches it over HTTP', () => {
  const broken = of('src-main/sandbox/').filter(
    ({ to, ours }) => ours && !/^src-(main\/(sandbox|ton|net|database)|preload\/domain)\//.test(to),
  )
  expect(told(broken)).toEqual([])
  const entrances = /^src-main\/(threads\/sandbox-process|command-line\/sandbox)\.ts$/
  const back = imports.filter(
    ({ from, to, ours }) =>
      ours &&
      to.startsWith('src-main/sandbox/') &&
      !from.startsWith('src-main/sandbox/') &&
      !entrances.test(from),
  )
  expect(told(back)).toEqual([])
})

/**
 * The rooms of main and the rooms that each may import, types included. Features meet through ids,
 * routes and events of the app; `captures` is what the receiver fills and what deliveries are made of.
 */
const kernel = ['app', 'database', 'exports', 'gateway', 'jobs', 'threads', 'ton']
const mayImport: Readonly<Record<string, readonly string[]>> = {
  bridge: ['app', 'net'],
  captures: kernel,
  delivery: [...kernel, 'captures'],
  database: [],
  explorer: kernel,
  exports: [],
  gateway: ['app', 'ton'],
  invoices: kernel,
  jobs: ['database', 'gateway'],
  lookups: [...kernel, 'explorer'],
  net: [],
  networks: ['app', 'database', 'gateway', 'net', 'secrets'],
  receiver: ['captures', 'net'],
  // It has files and servers of its own, which are opened and ended as the app's are.
  sandbox: ['database', 'net', 'ton'],
  secrets: ['networks'],
  ton: [],
  webhooks: [...kernel, 'captures'],
}

/**
 * What wires features together: the app itself, the hosts, the entries of threads, and the file of each
 * feature that registers it.
 */
const wiring = /^src-main\/((app|command-line|desktop|threads)\/|[^/]+\.ts$|[^/]+\/register\.ts$)/

/** Imports against the table above. The list may only become shorter. */
const exceptions = [
  'src-main/captures/explanation/meaning.ts imports src-main/invoices/store/invoice-traces.ts',
  'src-main/captures/explanation/paid.ts imports src-main/invoices/store/invoice-traces.ts',
  'src-main/captures/explanation/understand.ts imports src-main/invoices/store/invoice-traces.ts',
  'src-main/captures/inspector.ts imports src-main/delivery/store/forward-rows.ts',
  'src-main/database/backup.ts imports src-main/captures/store/capture-deletion.ts',
  'src-main/database/open-store.ts imports src-main/captures/store/capture-deletion.ts',
  'src-main/database/open-store.ts imports src-main/captures/store/index/schema.ts',
  'src-main/database/rescue.ts imports src-main/captures/store/capture-deletion.ts',
  'src-main/database/rescue.ts imports src-main/captures/store/index/schema.ts',
  'src-main/database/restore.ts imports src-main/captures/store/index/schema.ts',
  'src-main/database/restore.ts imports src-main/delivery/store/forward-rules.ts',
  'src-main/database/restore.ts imports src-main/networks/store/networks.ts',
  'src-main/invoices/store/invoice-arrivals.ts imports src-main/captures/store/capture-record.ts',
]

test('a room of main imports the rooms it may, and features do not import each other', () => {
  const broken = of('src-main/').filter(({ from, to, ours }) => {
    if (!ours || !to.startsWith('src-main/') || wiring.test(from)) return false
    const [own, other] = [from.split('/')[1] ?? '', to.split('/')[1] ?? '']
    return own !== other && !mayImport[own]?.includes(other)
  })
  expect(told(broken).sort()).toEqual(exceptions)
})

test('a transport reaches the app through dispatch and events, never through a room', () => {
  const broken = of('src-main/bridge/').filter(({ to, typeOnly }) =>
    to.startsWith('src-main/app/') ? !typeOnly : false,
  )
  expect(told(broken)).toEqual([])
})

test('main takes nothing from the window, and nothing takes the preload', () => {
  const broken = imports.filter(
    ({ from, to }) =>
      (from.startsWith('src-main/') && to.startsWith('src-renderer/')) ||
      to === 'src-preload/preload.ts',
  )
  expect(told(broken)).toEqual([])
})

test('no import cycle anywhere, types, entries and tests included', () => {
  const next = Map.groupBy(
    allImports.filter(({ ours }) => ours),
    ({ from }) => from,
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) {
      cycles.push([...path.slice(start), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  expect(cycles).toEqual([])
})

const configuration = readFileSync('package.json', 'utf8')
const otherTexts = [configuration, ...others.map(({ text }) => text)]

/** A program that you or a tool run, a test, or a file that a program starts by its name. */
function isStarted(file: string): boolean {
  if (/^src-renderer\/(main\.tsx|ambient\.d\.ts)$/.test(file)) return true
  if (file.startsWith('src-')) {
    return others.some(
      (module) => module.file === 'electron.vite.config.ts' && module.text.includes(`'${file}'`),
    )
  }
  if (/\.(test|spec)\.\w+$|^test\/(bench|data)\/[^/]+$|^[^/]+$/.test(file)) return true
  const name = posix.basename(file)
  return otherTexts.some((text) => text.includes(`/${name}`) || text.includes(`'${name}'`))
}

test('no file without a use: one that nobody imports is a program, a test or started by its name', () => {
  const imported = new Set(allImports.map(({ to }) => to.replace(/\?.*$/, '')))
  const unused = [...product, ...others]
    .map(({ file }) => file)
    .filter((file) => !imported.has(file) && !isStarted(file))
  expect(unused).toEqual([])
})

/** Imported by tools under another name, and page objects for the stories that do not use them yet. */
const exportsForOthers =
  /^[^/]+$|^build\/electron-builder|^test\/(stand-in\/electron\.ts$|e2e\/pages\/)/

test('no export that nobody imports: it would hide code that nobody uses from the compiler', () => {
  const used = new Set(allImports.flatMap(({ to, names }) => names.map((name) => `${to} ${name}`)))
  const unused = [...product, ...others]
    .filter(({ file }) => !used.has(`${file} *`) && !exportsForOthers.test(file))
    .flatMap(({ file, exports }) =>
      exports.filter((name) => !used.has(`${file} ${name}`)).map((name) => `${file}: ${name}`),
    )
  expect(unused).toEqual([])
})

test('no package without a use: one that is not imported is a tool, types, or a peer of another', () => {
  const imported = new Set(allImports.map(({ to }) => to.replace(/^((?:@[^/]+\/)?[^/]+).*/, '$1')))
  const isNamed = (name: string) =>
    others.some(({ file, text }) => !file.startsWith('test/') && text.includes(name))
  const { dependencies, devDependencies, scripts } = JSON.parse(configuration) as Record<
    'dependencies' | 'devDependencies' | 'scripts',
    Record<string, string>
  >
  const commands = Object.values(scripts).flatMap((script) => script.split(' '))
  const peers = ['react-is']
  const unused = Object.keys({ ...dependencies, ...devDependencies })
    .map((name) => name.replace('@types/', ''))
    .filter((name) => ![...imported, ...commands, ...peers].includes(name) && !isNamed(name))
  expect(unused).toEqual([])
})

test('a story reaches the window through test/e2e/pages, or a changed text would break many stories', () => {
  const stories = globSync('test/{e2e,electron}/**/*.spec.ts').map((file) =>
    file.replaceAll(sep, '/'),
  )
  expect(stories.length).toBeGreaterThan(20)
  const selector = /\b(getBy[A-Z]\w*|locator|frameLocator)\(/
  const broken = stories.filter((file) => selector.test(readFileSync(file, 'utf8')))
  expect(broken).toEqual([])
})
