import { subscriptionExtensions } from '../../../src-preload/domain/opened-files.ts'
import { lazyPart, paletteEntry, registerFeature } from '../../app/features.tsx'
import { navigate } from '../../app/route.ts'
import { openNewWebhook } from '../../app/webhooks.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'

registerFeature({
  files: {
    extensions: subscriptionExtensions,
    open(file) {
      navigate({ ...webhooksHome, view: 'file' })
      void import('./file/plan.ts').then(({ openFile }) => openFile(file))
    },
  },
  dialogs: {
    createWebhook: lazyPart(async () => (await import('./endpoint-dialog.tsx')).CreateDialog),
    moveWebhook: lazyPart(async () => (await import('./move/move-dialog.tsx')).MoveDialog),
  },
  paletteEntries: [
    paletteEntry('new-webhook', 'Webhooks: New webhook', 'plus', 'create endpoint', () => {
      navigate(webhooksHome)
      openNewWebhook()
    }),
  ],
})
