// `node build/try-packages.mjs`, on Node 24, in the release workflow: unpacks or installs each
// package of dist/ as its system does, reads the fuses of its binary, and runs it until it has
// stored a webhook. On Linux this needs sudo and a display.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { verifyFuses } from './lib/fuses.mjs'

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`)
}

/** Lets Chromium's sandbox run in an app that no package manager has installed. */
function allowSandbox(folder) {
  run('sudo', ['chown', 'root', join(folder, 'chrome-sandbox')])
  run('sudo', ['chmod', '4755', join(folder, 'chrome-sandbox')])
  return join(folder, 'tondesk')
}

function macApp(folder) {
  return join(folder, 'Tondesk.app')
}

/**
 * Unpacks a package into a folder, by the end of the package's name. @returns the binary, or the
 * app's folder
 */
const unpack = {
  '.deb'(file) {
    run('sudo', ['apt-get', 'install', '-y', '-q', file])
    return '/opt/Tondesk/tondesk'
  },
  '.rpm'(file, folder) {
    run('sh', ['-c', 'rpm2cpio "$1" | cpio -idm --quiet', 'sh', file], { cwd: folder })
    return allowSandbox(join(folder, 'opt', 'Tondesk'))
  },
  '.AppImage'(file, folder) {
    chmodSync(file, 0o755)
    run(file, ['--appimage-extract'], { cwd: folder, stdio: 'ignore' })
    return allowSandbox(join(folder, 'squashfs-root'))
  },
  '.dmg'(file, folder) {
    run('hdiutil', ['attach', file, '-nobrowse', '-quiet', '-mountpoint', join(folder, 'disk')])
    run('cp', ['-R', macApp(join(folder, 'disk')), folder])
    run('hdiutil', ['detach', join(folder, 'disk'), '-quiet'])
    return macApp(folder)
  },
  '.zip'(file, folder) {
    run('ditto', ['-x', '-k', file, folder])
    return macApp(folder)
  },
  // The package unpacks itself at each start, so its binary is the same as the installer's.
  '-portable.exe': (file) => file,
  '.exe'(file, folder) {
    // The installer reads the rest of its command line, unquoted, as the folder.
    run(file, ['/S', `/D=${folder}`], { windowsVerbatimArguments: true })
    return join(folder, 'tondesk.exe')
  },
}

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) return JSON.parse(line)
  }
  throw new Error('it ended without its ready line')
}

function programOf(folder) {
  return join(folder, readdirSync(folder)[0])
}

async function tryStart(binary) {
  const program = binary.endsWith('.app') ? programOf(join(binary, 'Contents', 'MacOS')) : binary
  const data = mkdtempSync(join(tmpdir(), 'tondesk-try-'))
  const flags = ['--json', '--receiver-port', '0', '--without-sandbox', '--data-dir', data]
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((done) => child.once('exit', done))
  try {
    const deadline = delay(600_000, undefined, { ref: false }).then(() => {
      throw new Error('it was not ready within ten minutes')
    })
    const { receiverUrl } = await Promise.race([firstLine(child), deadline])
    const { status } = await fetch(receiverUrl, { method: 'POST', body: '{}' })
    if (status !== 200) throw new Error(`its receiver responded ${status}`)
  } finally {
    child.kill()
    await ended
    rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  }
}

const isPortable = (name) => /-portable(-dev)?\.exe$/.test(name)
const kindOf = (name) =>
  isPortable(name) ? '-portable.exe' : Object.keys(unpack).find((end) => name.endsWith(end))
const packages = readdirSync('dist').filter((name) => kindOf(name) !== undefined)
if (packages.length === 0) throw new Error('dist has no package.')
for (const name of packages) {
  const folder = join(mkdtempSync(join(tmpdir(), 'tondesk-package-')), 'app')
  mkdirSync(folder)
  const binary = unpack[kindOf(name)](resolve('dist', name), folder)
  if (!existsSync(binary)) throw new Error(`${name} has no ${binary}`)
  if (!isPortable(name)) {
    const problems = await verifyFuses(binary)
    if (problems.length > 0) throw new Error(`${name}: ${problems.join(', ')}`)
    console.log(`${name}: the fuses read back from its binary are as they should be`)
  }
  await tryStart(binary)
  console.log(`${name}: it starts and stores a webhook`)
}
