/** Plays the single-instance lock of a user data folder; a second instance leaves a message for the first. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

type SecondInstance = {
  readonly args: string[]
  readonly workingDirectory: string
  readonly sent: unknown
}

type InstanceLock = {
  /**
   * Returns false if another living process has the lock; that process gets a message.
   * @param sent the JSON for the first instance, if this is a second one
   */
  request(sent: unknown, onSecond: (second: SecondInstance) => void): boolean
}

export function createInstanceLock(userData: string): InstanceLock {
  const folder = join(userData, 'stand-in-instances')
  const lock = join(folder, 'holder')

  function take(): boolean {
    for (let tries = 0; tries < 3; tries += 1) {
      try {
        writeFileSync(lock, String(process.pid), { flag: 'wx' })
        process.on('exit', () => rmSync(lock, { force: true }))
        return true
      } catch {
        if (isAlive(readFileSync(lock, 'utf8'))) return false
        rmSync(lock, { force: true })
      }
    }
    return false
  }

  return {
    request(sent, onSecond) {
      mkdirSync(folder, { recursive: true })
      if (!take()) {
        const message: SecondInstance = {
          args: process.argv,
          workingDirectory: process.cwd(),
          sent,
        }
        const name = join(folder, `${process.pid}`)
        writeFileSync(`${name}.new`, JSON.stringify(message))
        renameSync(`${name}.new`, `${name}.json`)
        return false
      }
      const watcher = watch(folder, () => {
        for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.json'))) {
          const path = join(folder, name)
          const second = JSON.parse(readFileSync(path, 'utf8')) as SecondInstance
          rmSync(path)
          onSecond(second)
        }
      })
      watcher.unref()
      return true
    },
  }
}

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch {
    return false
  }
}
