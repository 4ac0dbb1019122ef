/**
 * Checks the import rules of docs/architecture.md for every import, with import cycles and unused
 * code.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { expect, test } from 'vitest'
import { type Import, readModules } from '../fixtures/imports.ts'

const product = readModules(['src-{main,preload,renderer}/**/*.{ts,tsx}'])
const others = readModules(['{test,build}/**/*.{ts,tsx,mjs,cjs}', '*.config.{ts,mjs,js}'])
const imports = product.flatMap((module) => module.imports)
const allImports = [...imports, ...others.flatMap((module) => module.imports)]

/** Returns the imports that break a rule, as texts that name the importing file. */
function told(broken: readonly Import[]): string[] {
  return broken.map(({ from, to }) => `${from} imports ${to}`)
}

function of(folder: string): Import[] {
  return imports.filter(({ from }) => from.startsWith(folder))
}

function isPackage(name: string) {
  return ({ to, ours }: Import) => !ours && (to === name || to.startsWith(`${name}/`))
}

test('the check reads more than 300 imports, with the kinds that the rules distinguish', () => {
  expect(imports.length).toBeGreaterThan(300)
  expect(of('src-renderer/ui/').length).toBeGreaterThan(20)
  expect(imports.some(({ typeOnly }) => typeOnly)).toBe(true)
  expect(told(of('src-main/secrets/').filter(isPackage('keytar')))).toHaveLength(1)
})

test('the domain imports nothing but the domain', () => {
  const broken = of('src-preload/domain/').filter(({ to }) => !to.startsWith('src-preload/domain/'))
  expect(told(broken)).toEqual([])
})

test('the contract imports nothing but zod and the domain', () => {
  const broken = of('src-preload/contract/').filter(
    ({ to, ours }) => !(ours ? /^src-preload\/(contract|domain)\//.test(to) : to === 'zod'),
  )
  expect(told(broken)).toEqual([])
})

test('the preload imports nothing but electron and types', () => {
  const broken = of('src-preload/preload.ts').filter(({ to, typeOnly }) =>
    to === 'electron' ? false : !(typeOnly && /^src-preload\/(contract|domain)\//.test(to)),
  )
  expect(told(broken)).toEqual([])
})

test('the design system imports nothing of the app', () => {
  const broken = of('src-renderer/ui/').filter(({ to, ours }) =>
    ours
      ? !/^src-renderer\/ui\//.test(to)
      : !/^(react|react-dom|@base-ui\/react|@tanstack\/react-virtual|zustand)($|\/)/.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('the window imports neither the main process nor Node nor Electron', () => {
  const broken = of('src-renderer/').filter(({ to, ours }) =>
    ours
      ? !/^(src-renderer|src-preload\/(contract|domain))\//.test(to)
      : /^(node:|electron($|\/)|(keytar|undici|hono|ws)($|\/))/.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('the window imports only types and modules without zod from the contract', () => {
  const broken = of('src-renderer/').filter(({ to, typeOnly }) => isZodBearing(to) && !typeOnly)
  expect(told(broken)).toEqual([])
})

function isZodBearing(to: string): boolean {
  // The module of an invoice's money sentence uses types of the contract, but not zod.
  const bare = to === 'src-preload/contract/invoice-money.ts'
  return to === 'zod' || (to.startsWith('src-preload/contract/') && !bare)
}

test('electron is imported only in the preload, the entry, the bridge and the desktop folder', () => {
  const homes = /^(src-preload\/preload\.ts|src-main\/(main\.ts|bridge\/electron\.ts|desktop\/.+))$/
  const broken = imports.filter((found) => isPackage('electron')(found) && !homes.test(found.from))
  expect(told(broken)).toEqual([])
})

const statement =
  /['`(\n]\s*(SELECT\s|INSERT (OR \w+ )?INTO\s|UPDATE \w+ SET\s|DELETE FROM\s|CREATE \w+ (IF|\w+ ON)\s)/
const isStore = (file: string) => /^src-main\/(database|.+\/store)\//.test(file)

test('statements of SQL are only in the database and in the stores', () => {
  const found = product.filter(({ file, text }) => !isStore(file) && statement.test(text))
  expect(found.map(({ file }) => file)).toEqual([])
  const opened = imports.filter((each) => each.to === 'node:sqlite' && !isStore(each.from))
  expect(told(opened)).toEqual([])
  expect(
    product.filter(({ file, text }) => isStore(file) && statement.test(text)).length,
  ).toBeGreaterThan(80)
})

test('the receiver thread loads no module for responses, imports, exports or pictures', () => {
  const loaded = new Set(['src-main/threads/receiver-thread.ts'])
  for (const file of loaded) {
    for (const { to, ours, typeOnly } of imports.filter(({ from }) => from === file)) {
      if (ours && !typeOnly) loaded.add(to)
    }
  }
  const rooms = new Set([...loaded].map((file) => file.replace(/\/[^/]+$/, '')))
  expect([...rooms].sort()).toEqual([
    'src-main/app',
    'src-main/app/store',
    'src-main/captures',
    'src-main/captures/explanation',
    'src-main/captures/query',
    'src-main/captures/query/values',
    'src-main/captures/store',
    'src-main/chain/store',
    'src-main/database',
    'src-main/delivery',
    'src-main/delivery/forwarding',
    'src-main/delivery/response-rules',
    'src-main/delivery/sender',
    'src-main/delivery/store',
    'src-main/net',
    'src-main/networks/store',
    'src-main/receiver',
    'src-main/secrets/store',
    'src-main/threads',
    'src-main/ton',
    'src-main/webhooks/store',
    'src-preload/contract',
    'src-preload/domain',
  ])
  const heavy =
    /^src-main\/(ton\/lossless-json|delivery\/sender\/sender|captures\/(inspector|curl|search))\.ts$/
  expect([...loaded].filter((file) => heavy.test(file))).toEqual([])
})

test("the HTTP client is imported only in the gateway client, the sender and the sandbox's delivery", () => {
  const homes = /^src-main\/(gateway\/http\.ts|delivery\/sender\/.+|sandbox\/deliver\/.+)$/
  const broken = imports.filter((found) => isPackage('undici')(found) && !homes.test(found.from))
  expect(told(broken)).toEqual([])
})

test('the keychain module is imported in one file only', () => {
  const broken = imports.filter(
    (found) => isPackage('keytar')(found) && found.from !== 'src-main/secrets/keychain.ts',
  )
  expect(told(broken)).toEqual([])
})

test('the TON library of the product imports nothing but the domain and @ton/core', () => {
  const broken = of('src-main/ton/').filter(({ to, ours }) =>
    ours ? !/^src-(main\/ton|preload\/domain)\//.test(to) : !/^@ton\/core($|\/)/.test(to),
  )
  expect(told(broken)).toEqual([])
})

test('the sandbox imports no app code but the contract, and the app reaches the sandbox over HTTP', () => {
  const broken = of('src-main/sandbox/').filter(
    ({ to, ours }) =>
      ours && !/^src-(main\/(sandbox|ton|net|database)|preload\/(domain|contract))\//.test(to),
  )
  expect(told(broken)).toEqual([])
  const entrances = /^src-main\/(threads\/sandbox-process|command-line\/(sandbox|lab))\.ts$/
  // Get methods of jetton minters run only in the virtual machine, without the sandbox's chain.
  const taskProcess = 'src-main/threads/task-process.ts'
  const machine = 'src-main/sandbox/chain/emulator.ts'
  const back = imports.filter(
    ({ from, to, ours }) =>
      ours &&
      to.startsWith('src-main/sandbox/') &&
      !from.startsWith('src-main/sandbox/') &&
      !entrances.test(from) &&
      !(from === taskProcess && to === machine),
  )
  expect(told(back)).toEqual([])
})

/**
 * Reads the first diagram of docs/architecture.md. A group has the rooms of a `subgraph`; an edge
 * leads from a room or group to another.
 */
const diagram = readDiagram(readFileSync('docs/architecture.md', 'utf8'))

function readDiagram(page: string) {
  const groups = new Map<string, string[]>()
  const edges: { readonly from: string; readonly to: string; readonly isException: boolean }[] = []
  let open: string[] | null = null
  const lines = /```mermaid\nflowchart TB\n(.*?)```/s.exec(page)?.[1]?.trim().split('\n') ?? []
  for (const line of lines.map((each) => each.trim()).filter((each) => each !== '')) {
    const group = /^subgraph ([\w-]+)/.exec(line)?.[1]
    const [, sources, arrow, targets] = /^(.+?) (-->|-\.->) (.+)$/.exec(line) ?? []
    if (group !== undefined) groups.set(group, (open = []))
    else if (line === 'end') open = null
    else if (sources === undefined || targets === undefined) {
      const room = /^[\w-]+/.exec(line)?.[0] ?? ''
      if (open === null) groups.set(room, [room])
      else open.push(room)
    } else {
      for (const from of sources.split(' & '))
        for (const to of targets.split(' & '))
          edges.push({ from, to, isException: arrow === '-.->' })
    }
  }
  const rooms = [...groups.values()].flat()
  const roomsOf = (name: string) => groups.get(name) ?? (rooms.includes(name) ? [name] : [])
  return { rooms, edges, roomsOf }
}

function roomOf(file: string): string {
  const [root = '', folder = '', ...rest] = file.split('/')
  if (root === 'src-renderer') return folder === 'ui' ? 'ui' : 'window'
  if (rest.length > 0) return folder
  return root === 'src-main' ? 'entries' : 'preload'
}

/** Files that connect rooms: the app itself, and the entry files of threads. */
const wiring = /^src-main\/(app|threads)\//

const betweenRooms = imports.filter(
  ({ from, to, ours }) => ours && !wiring.test(from) && roomOf(from) !== roomOf(to),
)

function isDrawn({ from, to }: Import, isException: boolean): boolean {
  return diagram.edges.some(
    (edge) =>
      edge.isException === isException &&
      diagram.roomsOf(edge.from).includes(roomOf(from)) &&
      diagram.roomsOf(edge.to).includes(roomOf(to)),
  )
}

test('the diagram of docs/architecture.md contains every room once', () => {
  const rooms = new Set(product.map(({ file }) => roomOf(file)))
  expect(diagram.rooms.toSorted()).toEqual([...rooms].sort())
})

test('every import between rooms is an edge of the diagram', () => {
  const broken = betweenRooms.filter((each) => !isDrawn(each, false) && !isDrawn(each, true))
  expect(told(broken)).toEqual([])
})

test('every edge of the diagram has an import, for each room of a group', () => {
  const isImport = (from: readonly string[], to: readonly string[]) =>
    betweenRooms.some((each) => from.includes(roomOf(each.from)) && to.includes(roomOf(each.to)))
  const needless = diagram.edges.flatMap(({ from, to }) => {
    const [sources, targets] = [diagram.roomsOf(from), diagram.roomsOf(to)]
    const idle = [
      ...sources.filter((room) => !isImport([room], targets)),
      ...targets.filter((room) => !isImport(sources, [room])),
    ]
    return idle.map((room) => `${from} --> ${to}: ${room}`)
  })
  expect(needless).toEqual([])
})

/** The imports of the dotted edges. The list may only become shorter. */
const exceptions = [
  'src-main/database/backup.ts imports src-main/captures/store/capture-deletion.ts',
  'src-main/database/open-store.ts imports src-main/captures/store/capture-deletion.ts',
  'src-main/database/open-store.ts imports src-main/captures/store/index/schema.ts',
  'src-main/database/rescue.ts imports src-main/captures/store/capture-deletion.ts',
  'src-main/database/rescue.ts imports src-main/captures/store/index/schema.ts',
  'src-main/database/restore.ts imports src-main/captures/store/index/schema.ts',
  'src-main/database/restore.ts imports src-main/delivery/store/forward-rules.ts',
  'src-main/database/restore.ts imports src-main/networks/store/networks.ts',
]

test('the dotted edges of the diagram cover exactly the listed imports', () => {
  const found = betweenRooms.filter((each) => isDrawn(each, true) && !isDrawn(each, false))
  expect(told(found).sort()).toEqual(exceptions)
})

test("a transport imports the app's types only, and uses dispatch and events", () => {
  const broken = of('src-main/bridge/').filter(({ to, typeOnly }) =>
    to.startsWith('src-main/app/') ? !typeOnly : false,
  )
  expect(told(broken)).toEqual([])
})

test('the main process imports nothing of the window, and no file imports the preload', () => {
  const broken = imports.filter(
    ({ from, to }) =>
      (from.startsWith('src-main/') && to.startsWith('src-renderer/')) ||
      to === 'src-preload/preload.ts',
  )
  expect(told(broken)).toEqual([])
})

test('the imports contain no cycle, including types, entries and tests', () => {
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

/** True for a program that a user or a tool runs, a test, and a file that a program starts by its name. */
function isStarted(file: string): boolean {
  if (/^src-renderer\/(main\.tsx|app\/ambient\.d\.ts)$/.test(file)) return true
  if (file.startsWith('src-')) {
    return others.some(
      (module) => module.file === 'electron.vite.config.ts' && module.text.includes(`'${file}'`),
    )
  }
  if (/\.(test|spec)\.\w+$|^test\/(bench|data)\/[^/]+$|^[^/]+$/.test(file)) return true
  const name = posix.basename(file)
  return otherTexts.some((text) => text.includes(`/${name}`) || text.includes(`'${name}'`))
}

test('every file is imported, is a program or a test, or is started by its name', () => {
  const imported = new Set(allImports.map(({ to }) => to.replace(/\?.*$/, '')))
  const unused = [...product, ...others]
    .map(({ file }) => file)
    .filter((file) => !imported.has(file) && !isStarted(file))
  expect(unused).toEqual([])
})

/** Exports for tools under another name or for users of the package, and page objects for the stories that do not use them yet. */
const exportsForOthers =
  /^[^/]+$|^build\/electron-builder|^src-main\/sandbox\/start-sandbox\.ts$|^test\/(stand-in\/electron\.ts$|fixtures\/keychain\.ts$|mutants\/.+\.config\.mjs$|e2e\/(pages\/|.+\.config\.ts$))/

test('every export is imported by a file', () => {
  const used = new Set(allImports.flatMap(({ to, names }) => names.map((name) => `${to} ${name}`)))
  const unused = [...product, ...others]
    .filter(({ file }) => !used.has(`${file} *`) && !exportsForOthers.test(file))
    .flatMap(({ file, exports }) =>
      exports.filter((name) => !used.has(`${file} ${name}`)).map((name) => `${file}: ${name}`),
    )
  expect(unused).toEqual([])
})

// Several properties on one line hide the size of an object, and a change of one property touches all of them.
test('no object literal is spread into another object or into an element', () => {
  const modules = [...product, ...others].filter(({ text }) => /\.{3}\s*\{/.test(text))
  expect(modules.map(({ file }) => file)).toEqual([])
})

test('every package is imported, or is a tool, types or a peer of another package', () => {
  const imported = new Set(allImports.map(({ to }) => to.replace(/^((?:@[^/]+\/)?[^/]+).*/, '$1')))
  const isNamed = (name: string) =>
    others.some(({ file, text }) => !file.startsWith('test/') && text.includes(name))
  const { dependencies, devDependencies, scripts } = JSON.parse(configuration) as Record<
    'dependencies' | 'devDependencies' | 'scripts',
    Record<string, string>
  >
  const commands = Object.values(scripts).flatMap((script) => script.split(' '))
  // oxlint starts tsgolint for the rules that need types, and StrykerJS loads its runner.
  const peers = ['react-is', 'oxlint-tsgolint', '@stryker-mutator/vitest-runner']
  const unused = Object.keys({ ...dependencies, ...devDependencies })
    .map((name) => name.replace('@types/', ''))
    .filter((name) => ![...imported, ...commands, ...peers].includes(name) && !isNamed(name))
  expect(unused).toEqual([])
})

test('stories reach the window only through test/e2e/pages', () => {
  const stories = globSync('test/{e2e,electron}/**/*.spec.ts').map((file) =>
    file.replaceAll(sep, '/'),
  )
  expect(stories.length).toBeGreaterThan(20)
  const selector = /\b(getBy[A-Z]\w*|locator|frameLocator)\(/
  const broken = stories.filter((file) => selector.test(readFileSync(file, 'utf8')))
  expect(broken).toEqual([])
})

test('every file that a page of the docs names exists', () => {
  const pages = globSync(['*.md', 'docs/**/*.md']).filter((page) => !page.includes('decisions'))
  const path = /\b(?:src-(?:main|preload|renderer)|test|build)\/[\w./-]+\.(?:tsx?|[mc]js|css)\b/g
  const absent = pages.flatMap((page) =>
    (readFileSync(page, 'utf8').match(path) ?? [])
      .filter((file) => !file.includes('00NN') && !existsSync(file))
      .map((file) => `${page}: ${file}`),
  )
  expect(pages.length).toBeGreaterThan(5)
  expect(absent).toEqual([])
})
