package merchants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
)

const (
	// deviceWithin is how long the link of a mail about a new device is valid.
	deviceWithin = 7 * 24 * time.Hour
	// DeviceLifetime is how long a device is known after its last log-in: as long as browsers keep a cookie.
	DeviceLifetime = 400 * 24 * time.Hour
	// LogInsFor is how long the list of a person's log-ins goes back.
	LogInsFor = 90 * 24 * time.Hour
)

// noteDevice records the device of a log-in that is complete, and sets the session's device. A
// person's log-in with a new device is a line of the audit log and a mail. The first device ever,
// which is that of a sign-up, needs no mail.
func (s *Service) noteDevice(tx *models.Tx, session *models.Session, way string, from Browser) error {
	if from.Mark == "" {
		return nil
	}
	device := &models.Device{UserID: session.UserID, Place: s.browserPlace(from.Mark), Name: cut(from.Name, 100),
		IP: from.IP, LastSeenAt: s.now()}
	first, others, err := models.NoteDevice(tx, device)
	if err != nil {
		return err
	}
	session.DeviceID = &device.ID
	if !first {
		return nil
	}
	by, err := from.actor(tx, session.UserID)
	if err != nil {
		return err
	}
	err = s.audit(tx, by, "session.new_device", device.ID, map[string]string{"way": way, "browser": device.Name})
	if err != nil || !others {
		return err
	}
	return s.tellOfDevice(tx, device)
}

func (s *Service) tellOfDevice(tx *models.Tx, d *models.Device) error {
	user, err := models.UserByID(tx.Context(), tx, d.UserID)
	if err != nil {
		return err
	}
	now := s.now()
	t := &models.Token{ID: models.NewTokenID(), Purpose: models.TokenNewDevice, UserID: user.ID, Email: user.Email,
		DeviceID: &d.ID, CreatedAt: now, ExpiresAt: now.Add(deviceWithin)}
	if err := models.InsertToken(tx, t); err != nil {
		return err
	}
	params := map[string]string{"name": user.Name, "at": now.Format(time.RFC3339), "ip": d.IP, "token": t.ID}
	if d.Name != "" {
		params["browser"] = d.Name
	}
	return models.InsertMails(tx, models.Mail{Fact: models.MailNewDevice + "/" + t.ID, To: user.Email,
		Language: user.Language, Kind: models.MailNewDevice, Params: params, CreatedAt: now})
}

// CheckDevice returns the device that the link of a mail is about. It fails with ErrLink, also if
// the device is forgotten.
func (s *Service) CheckDevice(ctx context.Context, token string) (*models.Device, error) {
	t, err := s.link(ctx, models.TokenNewDevice, token)
	if err != nil {
		return nil, err
	}
	if t.DeviceID == nil {
		return nil, ErrLink
	}
	device, err := models.UserDevice(ctx, s.DB.Pool, t.UserID, *t.DeviceID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, ErrLink
	} else if err != nil {
		return nil, fmt.Errorf("merchants: read a device: %w", err)
	}
	return device, nil
}

// DenyDevice ends all sessions of the device that the link of a mail is about, because the person
// did not log in with it. It forgets the device and its address, and returns the token of a link for choosing
// another password: the person has received a mail. It fails with ErrLink.
func (s *Service) DenyDevice(ctx context.Context, token string, from Browser) (reset string, err error) {
	t, err := s.link(ctx, models.TokenNewDevice, token)
	if err != nil {
		return "", err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if taken, err := models.TakeToken(tx, t, s.now()); err != nil || !taken || t.DeviceID == nil {
			return errors.Join(err, ErrLink)
		}
		ended, err := s.endDevice(tx, t.UserID, *t.DeviceID)
		if err != nil {
			return err
		}
		by, err := from.actor(tx, t.UserID)
		if err != nil {
			return err
		}
		err = s.audit(tx, by, "session.device_denied", *t.DeviceID, map[string]string{"ended": fmt.Sprint(ended)})
		if err != nil {
			return err
		}
		next := &models.Token{ID: models.NewTokenID(), Purpose: models.TokenResetPassword, UserID: t.UserID,
			Email: t.Email, CreatedAt: s.now(), ExpiresAt: s.now().Add(resetWithin)}
		reset = s.Vault.Token(next.ID)
		return models.InsertToken(tx, next)
	})
	if err != nil {
		return "", expected(err, "deny a device", ErrLink)
	}
	return reset, nil
}

// endDevice ends the sessions of one of a person's devices, if it is known, and returns their number. The
// device and its address are no places any more where the person has logged in.
func (s *Service) endDevice(tx *models.Tx, userID, id string) (ended int64, err error) {
	device, err := models.EndDevice(tx, userID, id)
	if errors.Is(err, models.ErrNotFound) {
		return models.DeleteDeviceSessions(tx, userID, id)
	} else if err != nil {
		return 0, err
	}
	places := [][]byte{device.Place, s.addressPlace(device.IP)}
	if err := models.ForgetLogInPlaces(tx, userID, places); err != nil {
		return 0, err
	}
	return models.DeleteDeviceSessions(tx, userID, id)
}

// LogIns returns a person's log-ins and the attempts that failed in LogInsFor, newest first. A flood
// of attempts does not crowd out the log-ins.
func (s *Service) LogIns(ctx context.Context, userID string) ([]models.LogIn, error) {
	list, err := models.LogIns(ctx, s.DB.Pool, userID, s.now().Add(-LogInsFor))
	if err != nil {
		return nil, fmt.Errorf("merchants: read log-ins: %w", err)
	}
	return list, nil
}
