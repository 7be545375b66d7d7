SELECT p.risk AS score, CASE WHEN EXISTS (
    SELECT 1 FROM condition_occurrence AS c
    JOIN concept_ancestor AS a ON a.descendant_concept_id = c.condition_concept_id
    WHERE a.ancestor_concept_id = 312327 AND c.person_id = p.person_id
    AND c.condition_start_date > p.index_date AND c.condition_start_date <= p.index_date + 365
) THEN 1 ELSE 0 END AS label
FROM prediction AS p
WHERE NOT EXISTS (
    SELECT 1 FROM condition_occurrence AS c
    JOIN concept_ancestor AS a ON a.descendant_concept_id = c.condition_concept_id
    WHERE a.ancestor_concept_id = 312327 AND c.person_id = p.person_id
    AND c.condition_start_date <= p.index_date
) AND EXISTS (
    SELECT 1 FROM observation_period AS o WHERE o.person_id = p.person_id
    AND o.observation_period_start_date <= p.index_date
    AND o.observation_period_end_date >= p.index_date + 365
)
