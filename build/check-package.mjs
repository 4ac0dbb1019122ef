// `npm run package -- --check`, on Node 24: packs the app for every platform as electron-builder would,
// without Electron's binary, and looks at what the archives hold. Nothing is downloaded.
import { readFileSync, readdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import process from 'node:process'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { judgeFiles, judgeImports, judgeText } from './lib/archive-rules.mjs'
import { runQuietly } from './lib/child.mjs'
import { tryPackedApp } from './lib/packed-app.mjs'
import { root } from './lib/runtime.mjs'
import { importsOf } from './lib/script-imports.mjs'

// electron-builder's own asar, found by way of the packages that depend on it.
const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const { extractAll } = createRequire(builder.resolve('app-builder-lib'))('@electron/asar')

const targets = [
  'linux-x64',
  'linux-arm64',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64',
  'win32-arm64',
]
const wantedFuses = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
}

async function judgeFuses(binary) {
  const wire = await getCurrentFuseWire(binary)
  return Object.entries(wantedFuses)
    .filter(([name, on]) => (wire[FuseV1Options[name]] === FuseState.ENABLE) !== on)
    .map(([name, on]) => `the fuse ${name} is not ${on ? 'on' : 'off'}`)
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

function judgeContents(app, files, folders) {
  return files.flatMap((file) => {
    const text = readFileSync(join(app, file), 'latin1')
    const isScript = /^out\/(main|preload)\//.test(file)
    return [
      ...judgeText(file, text, folders),
      ...(isScript ? judgeImports(file, importsOf(file, text), files) : []),
    ]
  })
}

function judgeManifest(app) {
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

async function checkTarget(target, folder, folders) {
  const [platform, arch] = target.split('-')
  const pack = join(root, 'build', 'lib', 'pack.mjs')
  const packed = await runQuietly(process.execPath, [pack, root, folder, platform, arch])
  if (packed.exitCode !== 0) return { problems: [`electron-builder failed:\n${packed.output}`] }
  const unpacked = join(
    folder,
    'dist',
    arch === 'x64' ? 'linux-unpacked' : `linux-${arch}-unpacked`,
  )
  const app = join(folder, 'app')
  extractAll(join(unpacked, 'resources', 'app.asar'), app)
  const files = listFiles(app)
  const problems = [
    ...judgeFiles(files, target),
    ...judgeManifest(app),
    ...judgeContents(app, files, folders),
    ...(await judgeFuses(join(unpacked, 'tondesk'))),
  ]
  if (target === `${process.platform}-${process.arch}`) {
    for (const file of files) console.log(`  ${file}`)
    problems.push(...(await tryPackedApp(app, join(folder, 'data'))))
  }
  return { problems, count: files.length }
}

const home = homedir()
// A home of one short word ("/root") is also an ordinary word of a path in any script.
const folders = [
  root,
  realpathSync(tmpdir()) + sep + 'tondesk-',
  ...(home.length > 6 ? [home] : []),
]
let failed = 0
for (const target of targets) {
  const folder = mkdtempSync(join(tmpdir(), 'tondesk-package-'))
  try {
    const { problems, count } = await checkTarget(target, folder, folders)
    failed += problems.length
    for (const problem of problems) console.error(`${target}: ${problem}`)
    if (problems.length === 0) console.log(`${target}: ${count} files, as they should be`)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
console.log(failed === 0 ? 'The package is as it should be.' : `${failed} problems in the package.`)
process.exitCode = failed === 0 ? 0 : 1
