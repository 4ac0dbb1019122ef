import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

function holder(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

/**
 * Runs work under a lock, so that two starts never install or build at the same time: the second
 * one waits. A lock whose process has died is taken over.
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true })
  while (!take(file)) {
    const pid = holder(file)
    if (pid > 0 && !isAlive(pid)) rmSync(file, { force: true })
    else await delay(200)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}
