/** Plays Electron's `Tray` and `nativeImage`: the app's settings are recorded, and nothing is drawn. */
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import type { NativeImage, Tray as Electron, nativeImage as ElectronImages } from 'electron'

type Played = Pick<
  Electron,
  'setImage' | 'setToolTip' | 'setContextMenu' | 'destroy' | 'isDestroyed'
>

class StandInTray extends EventEmitter implements Played {
  #isDestroyed = false

  constructor(image: NativeImage | string) {
    super()
    // Throws like a desktop on which the icon cannot be created.
    if (process.env['STAND_IN_TRAY'] === '0') throw new Error('Failed to create the tray icon.')
    this.setImage(image)
  }

  setImage(image: NativeImage | string): void {
    const isEmpty = typeof image === 'string' ? !existsSync(image) : image.isEmpty()
    if (isEmpty) throw new Error('Failed to load image from path')
  }

  // Nothing is displayed; a test replaces the methods to read their values.
  setToolTip(): void {
    // A test replaces this method too.
  }

  setContextMenu(): void {
    // A test replaces this method too.
  }

  destroy(): void {
    this.#isDestroyed = true
  }

  isDestroyed = (): boolean => this.#isDestroyed
}

export { StandInTray as Tray }

export const nativeImage = {
  createFromPath(path) {
    // Electron returns an empty image for a file that it cannot read.
    const image: Pick<NativeImage, 'isEmpty'> = { isEmpty: () => !existsSync(path) }
    return image as NativeImage
  },
  createFromBitmap(buffer, { width, height }) {
    if (buffer.length !== width * height * 4) throw new Error('invalid buffer size')
    const image: Pick<NativeImage, 'isEmpty' | 'getSize'> = {
      isEmpty: () => width * height === 0,
      getSize: () => ({ width, height }),
    }
    return image as NativeImage
  },
} satisfies Pick<typeof ElectronImages, 'createFromPath' | 'createFromBitmap'>
