/** Receives links and files from the system: by events on macOS, by start arguments elsewhere. */
import { app } from 'electron'
import { linkScheme } from '../../src-preload/domain/links.ts'
import { type Handed, parseHanded } from './arguments.ts'

type Take = (handed: Handed) => void

/** The limit of links and files before the app is ready, because the system passes few. */
const maxEarly = 20

export type HandedOver = ReturnType<typeof listenForHanded>

/**
 * Call this before the app is ready, because macOS passes the link or file that started the app
 * before that.
 */
export function listenForHanded() {
  const early: Handed[] = []
  let take: Take | null = null

  function hand(handed: Handed): void {
    if (take !== null) take(handed)
    else if (early.length < maxEarly) early.push(handed)
  }

  app.on('open-url', (event, link) => {
    event.preventDefault()
    hand({ kind: 'link', link })
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    hand({ kind: 'file', path })
  })
  // During development the system would start Electron without the app. After `--`, Chromium treats
  // no part of a link as a switch. Only Windows uses the arguments.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme, process.execPath, ['--'])

  return {
    /** Call this when the app is ready. */
    start(taker: Take): void {
      take = taker
      for (const each of early.splice(0)) taker(each)
    },
    /**
     * Opens the link or the files in the arguments of a start. @returns false if the arguments name
     * none
     */
    takeArguments: (args: readonly string[], directory: string): boolean => {
      const handed = parseHanded(args, directory)
      for (const each of handed) hand(each)
      return handed.length > 0
    },
  }
}
