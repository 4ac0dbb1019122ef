import { Toast } from '@base-ui/react/toast'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'
import styles from './toast.module.css'

const manager = Toast.createToastManager()

type ToastOptions = {
  title: string
  /** One on the same matter takes the place of the one before. */
  id?: string
  detail?: string
  /** `bad` stays longer and is announced at once. */
  tone?: 'plain' | 'bad'
  action?: { label: string; run: () => void }
}

/** Says that something happened, in passing. Errors of a form belong in the form instead. */
export function showToast({
  title,
  id: matter,
  detail,
  tone = 'plain',
  action,
}: ToastOptions): void {
  const id: string = manager.add({
    ...(matter !== undefined && { id: matter }),
    title,
    description: detail,
    type: tone,
    priority: tone === 'bad' ? 'high' : 'low',
    timeout: tone === 'bad' ? 10_000 : action === undefined ? 4_000 : 8_000,
    ...(action !== undefined && {
      actionProps: {
        children: action.label,
        onClick: () => {
          manager.close(id)
          action.run()
        },
      },
    }),
  })
}

/** Mounted once, in the frame. F6 moves the focus to the toasts. */
export function Toaster() {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className={styles['viewport']}>
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      // Base UI hides these from screen readers until the focus is on them; buttons that can have
      // the focus must not be hidden.
      aria-hidden={false}
      swipeDirection="right"
      className={classes(styles['toast'], toast.type === 'bad' && styles['bad'])}
    >
      <Toast.Content className={styles['content']}>
        <Toast.Title className={styles['title']} />
        {toast.actionProps === undefined ? (
          <span />
        ) : (
          <Toast.Action render={<Button kind="link" />} />
        )}
        <Toast.Close aria-hidden={false} render={<IconButton icon="close" label="Close" />} />
        {toast.description !== undefined && <Toast.Description className={styles['detail']} />}
      </Toast.Content>
    </Toast.Root>
  ))
}
