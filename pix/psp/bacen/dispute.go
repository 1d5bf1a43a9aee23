package bacen

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"garoupa/pix/psp"
)

// disputeAnswer is a dispute as Efí writes it. Its members and words are second-hand and their sources
// differ, so it reads those of all.
type disputeAnswer struct {
	Ref        text   `json:"idInfracao"`
	EndToEndID text   `json:"endToEndId"`
	Value      amount `json:"valor"`
	Status     text   `json:"status"`
	Cause      text   `json:"razao"`
	Motive     text   `json:"motivo"`
	Created    moment `json:"criacao"`
	Limit      moment `json:"prazo"`
	Analysis   struct {
		Opened   moment `json:"abertura"`
		AnswerBy moment `json:"prazoFinalizacao"`
		Closed   moment `json:"finalizacao"`
	} `json:"dadosAnalise"`
}

func (a disputeAnswer) dispute() (psp.Dispute, error) {
	if !validRef(string(a.Ref)) || !validID(string(a.EndToEndID)) {
		return psp.Dispute{}, protocol("a dispute has no id or no endToEndId, or one of another form")
	}
	return psp.Dispute{
		Ref: string(a.Ref), EndToEndID: string(a.EndToEndID), Cause: mask(firstOf(a.Cause, a.Motive)),
		Amount: int64(a.Value), Status: disputeStatus(string(a.Status)), RawStatus: cut(string(a.Status), 64),
		OpenedAt: earliest(a.Analysis.Opened, a.Created), AnswerBy: earliest(a.Analysis.AnswerBy, a.Limit),
		ClosedAt: a.Analysis.Closed.time(),
	}, nil
}

// earliest returns the earlier of two times, or the one that is known.
func earliest(a, b moment) time.Time {
	if x, y := a.time(), b.time(); !x.IsZero() && (y.IsZero() || x.Before(y)) {
		return x
	}
	return b.time()
}

func disputeStatus(word string) psp.DisputeStatus {
	word = strings.ToUpper(strings.TrimSpace(word))
	switch {
	case word == "ABERTA", word == "AGUARDANDO_ANALISE":
		return psp.DisputeOpen
	case word == "EM_DEFESA", word == "EM_ANALISE":
		return psp.DisputeDefended
	case word == "ACEITA":
		return psp.DisputeLost
	case word == "REJEITADA", strings.HasPrefix(word, "CANCELADA"):
		return psp.DisputeWon
	}
	return psp.DisputeUnknown
}

// validRef is validID for ids with dashes.
func validRef(ref string) bool { return validID(strings.ReplaceAll(ref, "-", "")) && len(ref) <= 64 }

// Disputes implements psp.Disputer: GET /v2/gn/infracoes of Efí, all pages.
func (e efiDisputer) Disputes(ctx context.Context, since time.Time) ([]psp.Dispute, error) {
	k := call{op: "list disputes", method: http.MethodGet, url: e.c.efiURL("/v2/gn/infracoes"),
		scope: "gn.infractions.read", time: readTime, rank: look}
	until, size := e.c.Now(), e.c.options.Profile.PageSize
	var all []psp.Dispute
	for page := 0; ; page++ {
		k.query = e.c.listQuery(since, until, page)
		body, err := e.c.read(ctx, k)
		if err != nil {
			return nil, err
		}
		a, err := decode[struct {
			Parameters listParameters      `json:"parametros"`
			Disputes   list[disputeAnswer] `json:"infracoes"`
		}](body)
		if err != nil {
			return nil, named(err, k.op)
		}
		for _, d := range a.Disputes {
			dispute, err := d.dispute()
			if err != nil {
				return nil, named(err, k.op)
			}
			all = append(all, dispute)
		}
		pages, _, err := a.Parameters.size(len(a.Disputes), size)
		if err != nil || page+1 >= pages || len(a.Disputes) == 0 {
			return all, named(err, k.op)
		}
	}
}

// Defend implements psp.Disputer: POST /v2/gn/infracoes/{id}/defesa of Efí, which contests the
// dispute.
func (e efiDisputer) Defend(ctx context.Context, ref, text string) error {
	return e.answer(ctx, ref, "rejeitado", text)
}

// Agree implements psp.Disputer: as Defend, with the other word.
func (e efiDisputer) Agree(ctx context.Context, ref, text string) error {
	return e.answer(ctx, ref, "aceito", text)
}

func (e efiDisputer) answer(ctx context.Context, ref, word, text string) error {
	k := call{op: "answer dispute", method: http.MethodPost, scope: "gn.infractions.write", time: returnTime,
		about: ref}
	if !validRef(ref) || strings.TrimSpace(text) == "" {
		return named(invalid("the dispute's id has another form, or the answer is empty"), k.op)
	}
	var err error
	if k.body, err = json.Marshal(map[string]string{"analise": word, "justificativa": text}); err != nil {
		return named(err, k.op)
	}
	k.url = e.c.efiURL("/v2/gn/infracoes/" + ref + "/defesa")
	_, err = e.c.once(ctx, k)
	return err
}
