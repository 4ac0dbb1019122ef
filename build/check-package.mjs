// `npm run package -- --check`, on Node 24: packs the app for every platform as electron-builder
// would, without Electron's binary, inspects the archives, starts this platform's app, and
// assembles and lints a deb. It prints a line for each verified property and downloads nothing.
import { readFileSync, readdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import process from 'node:process'
import {
  verifyBill,
  verifyFiles,
  verifyImports,
  verifySize,
  verifyText,
} from './lib/archive-rules.mjs'
import { runQuietly } from './lib/child.mjs'
import { verifyFuses, wantedFuses } from './lib/fuses.mjs'
import { checkDeb } from './lib/lint-deb.mjs'
import { tryPackedApp, tryPackedDesktop } from './lib/packed-app.mjs'
import { root } from './lib/runtime.mjs'
import { importsOf } from './lib/script-imports.mjs'

// Finds electron-builder's own asar through the packages that depend on it.
const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const { extractAll } = createRequire(builder.resolve('app-builder-lib'))('@electron/asar')

const targets =
  process.argv.slice(2).length > 0
    ? process.argv.slice(2)
    : ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64']

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

function verifyContents(app, files, folders) {
  return files.flatMap((file) => {
    const text = readFileSync(join(app, file), 'latin1')
    const isScript = /^out\/(main|preload)\//.test(file)
    return [
      ...verifyText(file, text, folders),
      ...(isScript ? verifyImports(file, importsOf(file, text), files) : []),
    ]
  })
}

function verifyManifest(app) {
  const { devDependencies, scripts, main, dependencies } = JSON.parse(
    readFileSync(join(app, 'package.json'), 'utf8'),
  )
  return [
    devDependencies && 'package.json lists devDependencies',
    scripts && 'package.json lists scripts',
    main !== './out/main/main.js' && 'package.json has another main',
    Object.keys(dependencies).join() !== 'keytar' &&
      'package.json has other dependencies than keytar',
  ].filter(Boolean)
}

function readAbout(app, name) {
  return JSON.parse(readFileSync(join(app, 'out', 'renderer', 'about', name), 'utf8'))
}

let failed = 0

/** Prints the verified properties or the problems of a target. */
function report(target, verified, problems) {
  failed += problems.length
  if (problems.length === 0) console.log(`${target}: ${verified}`)
  for (const problem of problems) console.error(`${target}: PROBLEM: ${problem}`)
}

const packTo = (folder, ...args) =>
  runQuietly(process.execPath, [join(root, 'build', 'lib', 'pack.mjs'), root, folder, ...args])

async function checkTarget(target, folder, folders) {
  const [platform, arch] = target.split('-')
  const packed = await packTo(folder, platform, arch)
  if (packed.exitCode !== 0) {
    report(target, '', [`electron-builder failed:\n${packed.output}`])
    return
  }
  const unpacked = join(
    folder,
    'dist',
    arch === 'x64' ? 'linux-unpacked' : `linux-${arch}-unpacked`,
  )
  const app = join(folder, 'app')
  const archive = join(unpacked, 'resources', 'app.asar')
  extractAll(archive, app)
  const files = listFiles(app)
  const bytes = statSync(archive).size
  const mebibytes = (bytes / 1024 / 1024).toFixed(1)
  report(
    target,
    `${files.length} files, none missing and none too many`,
    verifyFiles(files, target),
  )
  report(target, `archive of ${mebibytes} MiB, within its limit`, verifySize(bytes))
  report(target, 'package.json lists the keychain module only', verifyManifest(app))
  report(
    target,
    'imports resolve within the archive; no folder of this computer, secret or source map',
    verifyContents(app, files, folders),
  )
  const fuses = await verifyFuses(join(unpacked, 'tondesk'))
  report(target, `${Object.keys(wantedFuses).length} fuses read back from the binary`, fuses)
  if (target !== `${process.platform}-${process.arch}`) return

  const bill = readAbout(app, 'sbom.cdx.json')
  const licences = readAbout(app, 'licences.json')
  report(
    target,
    `SBOM of ${bill.components.length} components; each has a permissive licence and its text`,
    verifyBill(bill, licences),
  )
  report(
    target,
    'browser mode starts from the archive: page, CSP, licences, receiver',
    await tryPackedApp(app, join(folder, 'data')),
  )
  const desktop = await tryPackedDesktop(app, join(folder, 'desktop'))
  report(
    target,
    desktop.skipped ??
      'the desktop app starts from the archive on the stand-in: window, receiver, quit',
    desktop.problems,
  )
  const deb = await checkDeb(folder, () => packTo(folder, platform, arch, 'deb'))
  for (const line of deb.checks) report('deb', line, [])
  report('deb', deb.skipped ?? 'complete', deb.problems)
}

const home = homedir()
// A home directory with one short word ("/root") may also be a part of any path in a script.
const folders = [
  root,
  realpathSync(tmpdir()) + sep + 'tondesk-',
  ...(home.length > 6 ? [home] : []),
]
for (const target of targets) {
  // The name is short, because the local socket's path may have only about a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'tondesk-package-'))
  try {
    await checkTarget(target, folder, folders)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
console.log(failed === 0 ? 'The package is as it should be.' : `${failed} problems in the package.`)
process.exitCode = failed === 0 ? 0 : 1
