/** Links and files that the system hands to the app: by events on macOS, by arguments of a start elsewhere. */
import { app } from 'electron'
import { linkScheme } from '../../src-preload/domain/links.ts'
import { type Handed, parseHanded } from './arguments.ts'

type Take = (handed: Handed) => void

/** A system that hands over more before the app is ready is not believed. */
const maxEarly = 20

export type HandedOver = ReturnType<typeof listenForHanded>

/** Call this before the app is ready: macOS hands over what started the app before that. */
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
  // During development the system would start Electron itself, without the app.
  // Behind `--`, Chromium takes nothing for a switch, whatever a link contains. Only Windows reads the arguments.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme, process.execPath, ['--'])

  return {
    /** Call this when the app is ready. */
    start(taker: Take): void {
      take = taker
      for (const each of early.splice(0)) taker(each)
    },
    /**
     * Opens the link or the file in the arguments of a start. @returns false if they name no link
     * and no file
     */
    takeArguments: (args: readonly string[], directory: string): boolean => {
      const handed = parseHanded(args, directory)
      for (const each of handed) hand(each)
      return handed.length > 0
    },
  }
}
