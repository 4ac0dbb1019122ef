import { lazy } from 'react'
import { subscriptionExtensions } from '../../../src-preload/domain/opened-files.ts'
import { registerFeature } from '../../app/features.tsx'
import { navigate } from '../../app/route.ts'
import { openNewWebhook } from '../../app/webhooks.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'

const CreateDialog = lazy(async () => ({
  default: (await import('./endpoint-dialog.tsx')).CreateDialog,
}))
const MoveDialog = lazy(async () => ({
  default: (await import('./move/move-dialog.tsx')).MoveDialog,
}))

registerFeature({
  files: {
    extensions: subscriptionExtensions,
    open(file) {
      navigate({ ...webhooksHome, view: 'file' })
      void import('./file/plan.ts').then(({ openFile }) => openFile(file))
    },
  },
  dialogs: { createWebhook: CreateDialog, moveWebhook: MoveDialog },
  paletteEntries: [
    {
      id: 'new-webhook',
      label: 'Webhooks: New webhook',
      icon: 'plus',
      words: 'create endpoint',
      run: () => {
        navigate(webhooksHome)
        openNewWebhook()
      },
    },
  ],
})
