SELECT b.risk_score AS score, f.readmitted AS label
FROM export AS b JOIN export AS f USING (record_id)
WHERE b.redcap_event_name = 'baseline_arm_1' AND f.redcap_event_name = 'day_30_arm_1'
AND b.redcap_repeat_instrument IS NULL AND f.redcap_repeat_instrument IS NULL
AND b.risk_score <> '' AND f.readmitted IN ('0', '1')
