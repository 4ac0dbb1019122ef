/** Reads the resident memory of an app's processes from Linux's /proc. */
import { readFileSync, readdirSync } from 'node:fs'

/** The present resident memory of a process in bytes; 0 once it has ended. */
export function residentBytes(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))
  return Number(line?.[1] ?? 0) * 1024
}

/** Returns the process and all its descendants. */
export function processTree(root: number): readonly { pid: number; commandLine: string }[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    parents.set(Number(name), Number(/PPid:\s+(\d+)/.exec(read(`/proc/${name}/status`))?.[1] ?? 0))
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid)
    return pid === root || (parent !== undefined && parent > 1 && isBelow(parent))
  }
  return [...parents.keys()]
    .filter(isBelow)
    .map((pid) => ({ pid, commandLine: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }))
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`
}

/** Returns an empty text for a process that has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
