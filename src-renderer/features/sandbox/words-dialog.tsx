import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { request, toAppError } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './words-dialog.module.css'

/** The wallet whose words are asked for. */
const useWords = create<{ wallet: string | null }>(() => ({ wallet: null }))

export function showWords(wallet: string): void {
  useWords.setState({ wallet })
}

const close = () => useWords.setState({ wallet: null })

export function WordsDialog() {
  const wallet = useWords((state) => state.wallet)
  return (
    <Dialog
      open={wallet !== null}
      onClose={close}
      wide
      title={`Recovery words of ${wallet ?? ''}`}
      buttons={<Button onClick={close}>Close</Button>}
    >
      <p className={styles['warning']}>
        <Icon name="warning" />
        These are play keys: they are the same in every sandbox and known to everyone who has
        Tondesk. Never send real coins to this wallet.
      </p>
      {wallet !== null && <Words key={wallet} wallet={wallet} />}
    </Dialog>
  )
}

type Found =
  | { status: 'loading' }
  | { status: 'failed'; message: string }
  | { status: 'ready'; words: readonly string[] }

/** Fetched for as long as they are looked at, and kept nowhere. */
function Words({ wallet }: { wallet: string }) {
  const [found, setFound] = useState<Found>({ status: 'loading' })
  const [asked, setAsked] = useState(0)

  useEffect(() => {
    let isLeft = false
    const show = (next: Found) => {
      if (!isLeft) setFound(next)
    }
    request('sandbox.mnemonics').then(
      (wallets) => {
        const words = wallets.find(({ name }) => name === wallet)?.mnemonic
        show(
          words === undefined
            ? { status: 'failed', message: 'The sandbox knows no words of this wallet.' }
            : { status: 'ready', words },
        )
      },
      (error: unknown) => show({ status: 'failed', message: toAppError(error).message }),
    )
    return () => {
      isLeft = true
    }
  }, [wallet, asked])

  switch (found.status) {
    case 'loading':
      return <Skeleton rows={4} />
    case 'failed':
      return (
        <FailedState
          what="The words could not be read"
          why={found.message}
          onRetry={() => setAsked(asked + 1)}
        />
      )
    case 'ready':
      return (
        <>
          <ol className={styles['words']}>
            {found.words.map((word, index) => (
              <li key={index}>{word}</li>
            ))}
          </ol>
          <div>
            <CopyButton text={found.words.join(' ')} what="Recovery words" label="Copy the words" />
          </div>
        </>
      )
  }
}
