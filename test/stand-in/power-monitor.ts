/** Plays Electron's `powerMonitor`: a test emits its events. */
import { EventEmitter } from 'node:events'

export const powerMonitor = new EventEmitter()
