import { resourceOf } from './resource.ts'

export const appInfo = resourceOf('app.info')
