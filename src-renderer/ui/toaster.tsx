import { Toast } from '@base-ui/react/toast'
import { useEffect } from 'react'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'
import { textClasses } from './layout.tsx'
import surface from './surface.module.css'
import { onToasterMounted, toastManager } from './toast.tsx'
import styles from './toast.module.css'

/** Mounted once, in the frame. F6 moves the focus to the toasts. */
export function Toaster() {
  useEffect(onToasterMounted, [])
  return (
    <Toast.Provider toastManager={toastManager} limit={3}>
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
      // Base UI hides toasts from screen readers until they have the focus, but buttons that can
      // have the focus must not be hidden.
      aria-hidden={false}
      swipeDirection="right"
      className={classes(surface['raised'], styles['toast'])}
    >
      <Toast.Content className={styles['content']}>
        <Toast.Title
          className={classes(styles['title'], toast.type === 'bad' && textClasses({ tone: 'bad' }))}
        />
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
