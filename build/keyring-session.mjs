// Runs a command inside `dbus-run-session` with a real, unlocked keychain: GNOME Keyring on the
// session's own bus, in a home directory of its own, so that no keychain of the person's is touched.
import { spawn } from 'node:child_process'
import process from 'node:process'
import { run } from './lib/child.mjs'

/** The daemon leaves for the background once it answers, and ends with the session's bus. */
function unlockKeyring() {
  return new Promise((resolve) => {
    const daemon = spawn('gnome-keyring-daemon', ['--unlock', '--components=secrets'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    daemon.once('error', () => resolve(false))
    daemon.once('exit', (code) => resolve(code === 0))
    // The password ends with the newline; without one the daemon unlocks nothing.
    daemon.stdin.end('tondesk tests\n')
  })
}

if (await unlockKeyring()) {
  const [command, ...args] = process.argv.slice(2)
  const { exitCode } = await run(command, args)
  process.exitCode = exitCode
} else {
  console.error('GNOME Keyring did not start, so the keychain cannot be tested.')
  process.exitCode = 1
}
