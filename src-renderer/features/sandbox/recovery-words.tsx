import { useQuery } from '@tanstack/react-query'
import { create } from 'zustand'
import { request, queries } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Columns, Note, Row, Stack, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'

/** The wallet whose recovery words the user wants to see. */
const useShown = create<{ wallet: string | null }>(() => ({ wallet: null }))

export function showRecoveryWords(wallet: string): void {
  useShown.setState({ wallet })
}

const close = () => useShown.setState({ wallet: null })

export function RecoveryWordsDialog() {
  const wallet = useShown((state) => state.wallet)
  return (
    <Dialog
      open={wallet !== null}
      onClose={close}
      wide
      title={`Recovery words of ${wallet ?? ''}`}
      buttons={<Button onClick={close}>Close</Button>}
    >
      <Note tone="warn">
        These words are for tests only: they are the same in every sandbox, so everyone who has
        Tondesk knows them. Never send real coins to this wallet.
      </Note>
      {wallet !== null && <Words key={wallet} wallet={wallet} />}
    </Dialog>
  )
}

/** Shows the words, which are loaded when the dialog opens and removed when it closes. */
function Words({ wallet }: { wallet: string }) {
  const query = useQuery(
    {
      queryKey: ['recovery words'],
      queryFn: () => request('sandbox.mnemonics'),
      gcTime: 0,
      staleTime: 0,
    },
    queries,
  )
  return (
    <Loaded query={query} of="the recovery words" rows={4}>
      {(wallets) => {
        const words = wallets.find(({ name }) => name === wallet)?.mnemonic ?? []
        return (
          <Stack gap="l">
            <Columns as="ol" least={120} gap="xs">
              {words.map((word, index) => (
                <Text as="li" mono key={index}>
                  {word}
                </Text>
              ))}
            </Columns>
            <Row>
              <CopyButton text={words.join(' ')} what="Recovery words" label="Copy words" />
            </Row>
          </Stack>
        )
      }}
    </Loaded>
  )
}
