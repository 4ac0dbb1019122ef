/**
 * Everything that a page of the Electron app can access: a call function and a listener. The Electron
 * event, which would expose `ipcRenderer`, is never passed on.
 */
import { contextBridge, ipcRenderer } from 'electron'
import type { Bridge, EventMessage } from './contract/routes.ts'
import type { Envelope } from './domain/app-error.ts'

const bridge: Bridge = {
  request: (name, input) =>
    ipcRenderer.invoke('request', name, input) as Promise<Envelope<unknown>>,
  on(listener) {
    const receive = (_event: unknown, messages: readonly EventMessage[]) => listener(messages)
    ipcRenderer.on('events', receive)
    return () => void ipcRenderer.off('events', receive)
  },
}

contextBridge.exposeInMainWorld('bridge', bridge)
