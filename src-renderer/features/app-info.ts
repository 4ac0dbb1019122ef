import { request } from '../bridge.ts'
import { createResource } from '../resource.ts'

export const appInfo = createResource(() => request('app.info'))
